# Completion for svc: runs `svc __complete`, which prints one candidate per line, with a tab before its description.
# A candidate that ends in / or = is a prefix of a longer word. The typed words are passed as arguments and never evaluated.
#
# Passes an empty word as a pair of quotes, because Windows PowerShell drops empty arguments. Reads the output as UTF-8
# in any console encoding. Escapes curly quotes, which also end a string in single quotes.
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    if ($wordToComplete -eq '') { $typed += '""' }
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $lines = @(& svc __complete @typed 2>$null)
    } finally {
        [Console]::OutputEncoding = $encoding
    }
    $lines | ForEach-Object {
        $value, $describes = $_ -split "`t", 2
        if (-not $describes) { $describes = $value }
        $text = $value
        if ($value -notmatch '^[\w./\\:=+~-]+$') {
            $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
        }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $describes)
    }
}
