/**
 * Words that messages and names of fields may contain. Every other word could be a name, an ID, or
 * a secret, so it is never recorded.
 */
const VOCABULARY = new Set(
  `a above accept accepted access activities activity add added advanced after agent agents all already
  an and annotation any api app application apply are argument array as assign at auth authentication
  authorization available bad be because been before below body boolean both but by call can cannot
  channel channels characters client code comment config configuration configured content could crdt
  create created credential credentials current cursor data date deadline default delete deleted denied
  depth did disabled do document documents does duplicate each editor either email empty enabled endpoint
  endpoints entity error errors event events exceed exceeded exceeds exist existing exists expected expired
  failed failure feature fetched field fields filter folder folders for format forbidden found from
  function generated get given group groups has have header headers http https id ids if in incorrect
  input instead integer internal into invalid is it item items iterator its join key keys large later least
  length less level limit list log logs long lookup malformed maximum message method migration minimum
  minute minutes missing more most must name names not notification notifications null number object of
  off on one only operation option or organization organizations other out over page parameter parameters
  parent parse path payload per permission permissions please policy port precondition presence present
  processed property provided provider provider's public quota range rate read received record recording
  records reached reaction refused reject rejected remove removed request requests required reset resource
  resources response result results retrieved retry root same second seconds secret send sent server service
  set short should size some started state status string sub subfolder success successful successfully
  support supported template text than that the their then there this time timeout to token tokens too
  top triggers try type unauthenticated unauthorized undefined unexpected unique unknown unrecognized
  unsupported until update updated url use used user user's users valid value values version viewer was
  webhook webhooks when which with within without workspace would wrong xml you your zero
abstract active actor adds admin age alias allow allowed amount anchor android annotations approved archive archived
assigned assignee assignees attachment attachments attempt attempts attribute attributes author avatar background badge base blocked
body branch browser bucket build built bytes cached capacity card category channel child children class city closed cloud color
column columns comments company completed complete connected connection context controls copy cost count counts country custom
customer day days deprecated description details device dimension direction display domain domains done draft due duplicated
duration edge edited effective element emails enable encode encoded encrypt encrypted end ended entries event expire expires
extended extension external extra family favorite feature features feed file files filters first flag flags flow fraction full
global height hidden hide history hour hours html icon image images import imported index info inherit inherited initial inline
installation instance internal invited ios issue issues jobs json kind label labels language last latest layout left legacy license
line lines link links locale location lock locked main managed manager mask max media member members membership memberships
mentions meta metadata min mobile mode model modified month muted namespace nested next node nodes note notes notify offline
offset online open opened options order origin original owned owner owners pages parents parsed partial parts pattern paused
percent period phase phone picture pinned plan plans platform pos position preference preferences preview previous primary
priority private processing product profile progress project properties protected publish published query raw reactions
reader ready reason reference references region related release removable replied replies reply resolved restricted revision
right role roles row rows rules runs sample schedule scheduled schema scope scopes score sdk search section seen segment
selected self sequence session sessions shared shares sharing shortcut signature signed sites sort source sources space spaces
stage stages start state states step steps stop stored style sub subject subscribed subscription summary suspended sync system
tag tags target task tasks team teams tenant tenants text theme thread threads thumbnail tier timestamp timezone title topic total
totals trace tracking trashed tree trusted types uid unit units unread uploaded uri usage use uuid verified version versions
video view views visibility visible watchers week width write writes year`.split(/\s+/),
);

function isVocabularyWord(word: string): boolean {
  return VOCABULARY.has(word.toLowerCase());
}

/** Whether the parts of a name such as `lastSeenAt` are words of the vocabulary. */
export function isVocabularyName(name: string): boolean {
  return (
    /^[A-Za-z_]{1,60}$/.test(name) &&
    name
      .split(/_|(?<=[a-z])(?=[A-Z])/)
      .filter((part) => part !== '')
      .every(isVocabularyWord)
  );
}

const VALUE = '<value>';

const PUNCTUATION = /^([("'[`{]*)(.*?)([.,:;!?)"'\]`}]*)$/su;

/**
 * Replaces everything in a message that may be a value: the values of the request, and each word
 * that is neither in the vocabulary nor a field of the operation.
 */
export function createMessageTemplate(
  message: string,
  fields: ReadonlySet<string>,
  requestValues: ReadonlySet<string>,
): string {
  const words = withoutValues(message, requestValues)
    .split(/\s+/)
    .map((word) => {
      const [, open = '', core = '', close = ''] = PUNCTUATION.exec(word) ?? [];
      if (core === '' || core === VALUE) return word;
      return open + (isKnown(core, fields) ? core : VALUE) + close;
    });
  const kept = words.filter((word, at) => word !== VALUE || words[at - 1] !== VALUE);
  return kept.slice(0, MAX_WORDS).join(' ');
}

const MAX_WORDS = 40;

function withoutValues(message: string, values: ReadonlySet<string>): string {
  const found = [...values]
    .filter((value) => value.length > 1 && message.includes(value))
    .toSorted((a, b) => b.length - a.length);
  return found.reduce((text, value) => text.replaceAll(value, VALUE), message);
}

/** Whether a word is in the vocabulary, or a path of fields such as `users.userId`. */
function isKnown(word: string, fields: ReadonlySet<string>): boolean {
  if (isVocabularyWord(word.replace('(s', '')) || fields.has(word)) return true;
  const parts = word.split('.');
  return parts.length > 1 && parts.every((part) => fields.has(part));
}
