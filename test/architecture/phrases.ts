/** A phrase that the project avoids, with its replacement. */
export interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Phrases that read like a translation. Add each new one that a reviewer finds. */
export const PHRASES: readonly Phrase[] = [
  {
    pattern: /\bgo(es|ing)? on (with|where|without|from)\b|\bwent on\b|\bgo(es)? on\b(?=[.,;:)]|$)/,
    instead: 'resume, continue',
  },
  { pattern: /\bmend(s|ed|ing)?\b/, instead: 'fix' },
  { pattern: /\b(lies|lie|lay) (in|at|beside|there|around|on)\b/, instead: 'is stored in' },
  {
    pattern: /\b(taken|takes?|took|taking) (it |them |this |that |those )?away\b/,
    instead: 'remove, delete',
  },
  { pattern: /\bno talk\b|\btalk(s|ed)? (on|to) std/, instead: 'messages' },
  {
    pattern: /\bin nobody\b|\bnobody else'?s?\b|\bsomebody\b/,
    instead: 'no other process, another user',
  },
  { pattern: /\b[Ww]ho(so)?ever\b|\bwhomever\b/, instead: 'name the subject' },
  { pattern: /\bnone of (it|them) is\b|\bnone of it\b/, instead: 'not … any' },
  {
    pattern: /\bstands? (on line|at line|beside|by itself|for itself|in the way)\b/,
    instead: 'is on line, is next to',
  },
  {
    pattern: /\b(is|are|was|were) told\b|\btold (from|by|apart)\b|\btells? (of|whether|apart)\b/,
    instead: 'report, detect, distinguish',
  },
  { pattern: /\bunder ?way\b/, instead: 'in progress, in flight, running' },
  { pattern: /\bcom(es?|ing) to nothing\b|\bcame to nothing\b/, instead: 'is discarded' },
  {
    pattern:
      /\bwhat (is|was|are) (sent|left|given|meant|there|said|in the way|asked|wanted|due)\b(?! (to|by|in) the (user|next))/i,
    instead: 'say the noun',
  },
  { pattern: /\bsays? so\b|\bsaid so\b/, instead: 'report it' },
  { pattern: /\b(is|are) made up\b|\bmade up when\b/, instead: 'generated' },
  { pattern: /\b(broke|breaks?) off\b/, instead: 'is cut off, is interrupted' },
  {
    pattern: /\b(for|lost for) want of\b|\bputs? into words\b|\bgiven up where\b/,
    instead: 'plain words',
  },
  {
    pattern: /\bwhen left out\b|\bunless told\b|\bwhere none is (given|told)\b/,
    instead: '(default: x)',
  },
  { pattern: /\bof (its|their|your|our) own kind\b/, instead: 'name the kind' },
  {
    pattern: /\bheed(s|ed)?\b|\bgreet(s|ed)?\b|\bbefall(s|en)?\b|\bbetimes\b|\bbegotten\b/,
    instead: 'a standard verb',
  },
  { pattern: /\bmakes? an end\b|\bat an end\b/, instead: 'end, finish' },
  {
    pattern:
      /\bis (at|in) it\b(?= (now|already|still|meanwhile))|\bstill at it\b|\bat it already\b/,
    instead: 'is running',
  },
  { pattern: /\b(became|becomes?) of\b/, instead: 'the outcome of' },
  { pattern: /\bcuts? (it |them )?up\b/, instead: 'split' },
  { pattern: /\bas (it|they) (came|stood)\b/, instead: 'unchanged' },
  { pattern: /\bto blame\b/, instead: 'cause' },
  { pattern: /\d (records |users )?a second\b/, instead: 'per second' },
  { pattern: /\bgoes? along\b|\bgone along\b/, instead: 'is sent too' },
  {
    pattern: /\bsent on\b|\bsends? on\b|\bhand(s|ed)? on\b|\bpassed on to\b/,
    instead: 'forward, pass',
  },
  { pattern: /\b(as|than|which) it (would|might) be by\b/, instead: 'say who does it' },
  { pattern: /\bby way of\b|\bby itself alone\b|\bfor itself alone\b/, instead: 'through, alone' },
  { pattern: /(?<!\b[Tt]here )\bis no (?!longer\b|more\b|one\b)[a-z]+/, instead: 'is not a …' },
  { pattern: /\bare no (?!longer\b|more\b)[a-z]+s\b/, instead: 'are not …' },
  { pattern: /\b(is|are) none\b/, instead: 'there is no …' },
  {
    pattern: /\bo(f|n) either side of the house\b|\b(rooms?|house) of (the )?(house|code|source)\b/,
    instead: 'layer, module, folder',
  },
  {
    pattern: /\bthis house\b|\bthe house\b|\brooms?\b(?! (for|to|left|on|that|beforehand|is|at))/,
    instead: 'layer, module, folder',
  },
  {
    pattern:
      /\bwhen(ce|soever)\b|\bthere(of|by|upon|in)\b|\bwhere(upon|in|of|by)\b|\bthitherto\b|\bhitherto\b/,
    instead: 'plain words',
  },
  {
    pattern: /\b(colou?rs?|behaviou?r|cancell?ed|honou?r|catalogue|licence|neighbou?rs?)\b/,
    instead: 'American spelling',
  },
  {
    pattern: /\bthe interface (can|cannot|can't|does|has|allows|returns|accepts)\b/i,
    instead: 'the API',
  },
  { pattern: /\bor else\b(?! if)/, instead: 'otherwise' },
  { pattern: /\b(is|are|was|were) switched on by\b/, instead: 'is enabled by' },
  {
    pattern: /\} (lists|shows|prints|creates|deletes|saves) (the|its|it|those|all|where|which)\b/,
    instead: 'to list the jobs, run svc jobs list',
  },
  { pattern: /\bmakes? a (read|call|request|write) of\b/i, instead: 'read, call, send' },
];

/** American spellings that the pattern for British spelling also matches. */
export const AMERICAN = /^(colors?|behavior|canceled|honor|neighbors?)$/;
