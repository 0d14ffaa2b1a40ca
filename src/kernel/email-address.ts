const EMAIL_ADDRESS = /^[^\s@<>(),;:"]+@[^\s@<>(),;:".]+(?:\.[^\s@<>(),;:".]+)+$/;

/** Whether a text has the form of an email address with a domain: `ada@example.com`. */
export function isEmailAddress(text: string): boolean {
  return EMAIL_ADDRESS.test(text);
}
