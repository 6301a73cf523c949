# Completion of softalign for fish: what may stand at the cursor says the program itself.

function __softalign_answers
    set -l words (commandline -opc) (commandline -ct)
    set -l answers (command $words[1] --complete $words[2..] 2>/dev/null)
    test (count $answers) -gt 1; or return
    set -l kept $answers[1]
    set -l kind (string split ' ' -- $answers[2])
    switch $kind[1]
        case files folders
            set -l current (string sub -s (math (string length -- "$kept") + 1) -- $words[-1])
            set -l files (complete -C "__softalign_no_command $current" | string replace -r '\t.*' '')
            set -l fitting (string match '*/' -- $files)
            for pattern in $kind[2..]
                set -a fitting (string match -- $pattern $files)
            end
            if test $kind[1] = folders; or string match -qv '*/' -- $fitting
                set files $fitting
            end
            for file in $files
                echo -- $kept$file
            end
        case '*'
            printf '%s\n' $kept$answers[3..]
    end
end

complete -c softalign -f -k -a '(__softalign_answers)'
