import { readProjectFile } from '../../kernel/bundled-programs.ts';

export const SCRIPT_FILES = {
  bash: 'svc.bash',
  zsh: '_svc',
  fish: 'svc.fish',
  powershell: 'svc.ps1',
} as const;
export type Shell = keyof typeof SCRIPT_FILES;
export const SHELLS = Object.keys(SCRIPT_FILES) as readonly Shell[];

export function readCompletionScript(shell: Shell): Promise<string> {
  return readProjectFile(`completions/${SCRIPT_FILES[shell]}`);
}

export const SHELL_NAMES = {
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  powershell: 'PowerShell',
} as const;
