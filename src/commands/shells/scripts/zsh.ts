/**
 * Works as a file in `fpath`, and with `source`. Removes `~/` from candidates, because zsh quotes the inserted text,
 * and a quoted `~` is not the home folder. Escapes colons and backslashes for `_describe`.
 */
export const ZSH = `#compdef svc
_svc() {
  local line value home=
  local -a whole begun
  [[ $PREFIX != '~/'* ]] || home='~/'
  for line in \${(f)"$(command svc __complete "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"}; do
    value=\${line%%$'\\t'*}
    line=\${line#"$value"}
    value=\${value#$home}
    line=\${\${value//\\\\/\\\\\\\\}//:/\\\\:}\${line/$'\\t'/:}
    case $value in
      */ | *=) begun+=("$line") ;;
      *) whole+=("$line") ;;
    esac
  done
  [[ -z $home ]] || compset -P '\\~/'
  _describe -t svc 'svc' whole -- begun -S ''
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
elif (( $+functions[compdef] )); then
  compdef _svc svc
fi
`;
