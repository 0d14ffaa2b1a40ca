/**
 * Works in bash 3.2 and without bash-completion. bash 4 and later splits words where readline does, including at `=`,
 * `:`, and `@`, so the script joins them again, guided by the blanks of the line. It parses the current word once more
 * to find out which part readline replaces (everything after the last split or the opening quote, in every version) and
 * whether a quote is open. Each candidate is quoted, so that nothing in it is evaluated when the line runs. Inside an
 * open quote, only candidates that need no quoting are offered, and a prefix is never offered alone, because readline
 * would close the quote after it. bash 3.2 has no `compopt` and adds no blank after the closing quote.
 */
export const BASH = `_svc() {
  local rest=\${COMP_LINE:0:COMP_POINT} count=0 at blank word current candidate char quote= plain= kept= outer
  local -a typed
  for ((at = 0; at <= COMP_CWORD; at++)); do
    blank=\${rest%%[![:space:]]*}
    rest=\${rest#"$blank"}
    word=\${COMP_WORDS[at]}
    ((at < COMP_CWORD)) || word=$rest
    rest=\${rest#"$word"}
    if [[ -n $blank || $count -eq 0 ]]; then
      typed[count++]=$word
    else
      typed[count - 1]+=$word
    fi
  done
  current=\${typed[count - 1]}
  for ((at = 0; at < \${#current}; at++)); do
    char=\${current:at:1}
    if [[ $char == \\\\ && $quote != \\' ]]; then
      ((at++))
      plain+=\${current:at:1}
    elif [[ -n $quote && $char == "$quote" ]]; then
      quote=
      kept=$outer
    elif [[ -n $quote ]]; then
      plain+=$char
    elif [[ $char == [\\"\\'] ]]; then
      quote=$char
      outer=$kept
      kept=$plain
    else
      [[ $char != @ || $COMP_WORDBREAKS != *@* ]] || kept=$plain
      plain+=$char
      [[ $char == @ || $COMP_WORDBREAKS != *"$char"* ]] || kept=$plain
    fi
  done
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=\${candidate%%$'\\t'*}
    candidate=\${candidate#"$kept"}
    if [[ -n $quote ]]; then
      case $candidate in *[\\\\\\"\\'\\$\\\`\\!]*) continue ;; esac
    else
      case $candidate in
        '~/'*) printf -v word '%q' "\${candidate#'~/'}" && word="~/$word" ;;
        *) printf -v word '%q' "$candidate" ;;
      esac
      case $candidate in */ | *=) candidate=$word ;; *) candidate="$word " ;; esac
    fi
    COMPREPLY[\${#COMPREPLY[@]}]=$candidate
  done < <(command svc __complete "\${typed[@]:1}" 2>/dev/null)
  if [[ -n $quote && \${#COMPREPLY[@]} -eq 1 ]]; then
    case \${COMPREPLY[0]} in
      */ | *=) COMPREPLY[1]=\${COMPREPLY[0]}. ;;
      *) compopt +o nospace 2>/dev/null ;;
    esac
  fi
}
complete -o nospace -F _svc svc
`;
