/**
 * Works in bash 3.2 and without bash-completion. From 4.0 on bash splits words where readline does, at `=`, `:` and `@`
 * too, so they are put together again by the blanks of the line. The word being typed is read once more, to know what
 * readline replaces of it (all behind the last split or the opening quote, the same in every bash) and whether a quote
 * is open. Each candidate is quoted, so that what it holds is not evaluated once the line runs. Inside an open quote
 * only those that need no quoting are offered, and one that goes on is never alone, for readline would close the quote
 * behind it; 3.2 has no `compopt` and puts no blank behind the closing one.
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
