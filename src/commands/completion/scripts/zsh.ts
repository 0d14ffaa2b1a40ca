/** Works as a file in `fpath` and as a sourced one. zsh itself quotes what it inserts. */
export const ZSH = `#compdef svc
_svc() {
  local line value
  local -a whole begun
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    line=\${value//:/\\\\:}\${\${line#"$value"}/$'\\t'/:}
    case $value in
      */ | *=) begun+=("$line") ;;
      *) whole+=("$line") ;;
    esac
  done < <(command svc __complete "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
  _describe -t svc 'svc' whole -- begun -S ''
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
elif (( $+functions[compdef] )); then
  compdef _svc svc
fi
`;
