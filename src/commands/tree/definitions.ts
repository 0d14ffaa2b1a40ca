import { LIST_RUNNER, RECOVER_COMMANDS, RESET_RUNNER } from '../auth-tokens/commands.ts';
import { VALIDATE_COMMANDS } from '../bulk/validate-commands.ts';
import { CONTRACT_COMMANDS } from '../contract/commands.ts';
import type { CommandDefinition, OperationRunner } from '../definition.ts';
import { DOCTOR_COMMAND } from '../doctor/commands.ts';
import { DOSSIER_COMMAND } from '../dossier/commands.ts';
import { HISTORY_COMMANDS } from '../history/commands.ts';
import { JOB_COMMANDS } from '../jobs/commands.ts';
import { LOCAL_COMMANDS } from '../local/commands.ts';
import { MCP_COMMAND } from '../mcp/commands.ts';
import { PROFILE_COMMANDS } from '../profiles/commands.ts';
import { SERVE_COMMANDS } from '../serve/commands.ts';
import { SETTINGS_COMMANDS } from '../settings/commands.ts';
import { COMPLETION_COMMANDS } from '../shells/commands.ts';
import { TOOL_COMMANDS } from '../tools/commands.ts';
import { SETUP_COMMANDS, WEBHOOK_COMMANDS } from '../webhooks/commands.ts';
import { CREATE_WORKSPACE_RUNNER } from '../workspace/commands.ts';

export const RUNNERS: readonly OperationRunner[] = [
  RESET_RUNNER,
  LIST_RUNNER,
  CREATE_WORKSPACE_RUNNER,
];

export const TOOLS: readonly CommandDefinition[] = [
  ...PROFILE_COMMANDS,
  ...RECOVER_COMMANDS,
  ...HISTORY_COMMANDS,
  DOCTOR_COMMAND,
  ...SERVE_COMMANDS,
  MCP_COMMAND,
  ...LOCAL_COMMANDS,
  ...CONTRACT_COMMANDS,
  ...JOB_COMMANDS,
  DOSSIER_COMMAND,
  ...TOOL_COMMANDS,
  ...VALIDATE_COMMANDS,
  ...COMPLETION_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...SETUP_COMMANDS,
  ...SETTINGS_COMMANDS,
];
