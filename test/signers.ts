const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI';

/** A file of two signers, whose private keys nobody has. */
export const SIGNERS = `ada@example.com ${ED25519}LNXxktPgFVdZR1u7FBa6Xq8b0P4vPZk2p8l3i2T2Cw0
bob@example.com ${ED25519}Msz6utehwyblFTuUtsFksq8p9TgCNzfqM8jGNJOfnX0
`;
