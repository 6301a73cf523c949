#!/bin/bash
# scripts/dev/corpus-debian on a mirror of its own making, a folder: what it pairs, what it leaves out,
# how it splits, and how it fails. Nothing is fetched from elsewhere.
set -u
script=$PWD/scripts/dev/corpus-debian softalign=$(realpath "$1")
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

expect() { # WHAT EXPECTED ACTUAL
    [ "$2" = "$3" ] && return
    printf '%s: expected:\n%s\nbut got:\n%s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
}

# ---- The mirror ------------------------------------------------------------------------------

arch=$(dpkg --print-architecture)
main=mirror/dists/test/main
mkdir -p $main/binary-$arch $main/i18n mirror/pool

stanza() { # LANGUAGE NUMBER SUMMARY, the rest of the description on standard input
    printf 'Package: p%s\nDescription-md5: %032d\nDescription-%s: %s\n' "$2" "$2" "$1" "$3"
    cat
    echo
}

for i in {1..30}; do
    stanza en $i "tool number $i" <<END >>$main/i18n/Translation-en
 Tool number $i counts things
 of kind $i. It is fast.
 .
 It has:
  * a first point
    of the number $i
  * short
 .
   verbatim line $i here
END
    stanza fr $i "outil numéro $i" <<END >>$main/i18n/Translation-fr
 L'outil numéro $i compte des choses du genre $i. Il est rapide.
 .
 Il a :
  * un premier point du numéro $i
  * court
 .
   ligne telle quelle $i ici
END
done
# One more paragraph on one side; one more sentence; one broken; one with no partner.
stanza en 31 "one more paragraph" <<<' This pair has one paragraph.' >>$main/i18n/Translation-en
stanza fr 31 "un alinéa de plus" <<END >>$main/i18n/Translation-fr
 Cette paire a un alinéa.
 .
 Et un autre.
END
stanza en 32 "one more sentence" <<<' This has one sentence, and more.' >>$main/i18n/Translation-en
stanza fr 32 "une phrase de plus" <<<' Ceci a une phrase. Et une autre.' >>$main/i18n/Translation-fr
stanza en 33 "decompressor of old archives" <<<' Broken text is broken here.' >>$main/i18n/Translation-en
stanza fr 33 "dÃ©compresseur de vieilles archives" <<<' Le texte est cassÃ© ici.' >>$main/i18n/Translation-fr
stanza en 34 "nobody translated this" <<<' Nobody translated this text.' >>$main/i18n/Translation-en

help_package() { # NAME FOLDER < HTML
    mkdir -p deb/DEBIAN deb/usr/share/libreoffice/help/$2/text/swriter
    printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: a@b\nDescription: x\n' "$1" \
        >deb/DEBIAN/control
    cat >deb/usr/share/libreoffice/help/$2/text/swriter/main.html
    dpkg-deb --root-owner-group -b deb mirror/pool/$1.deb >/dev/null
    {
        cat deb/DEBIAN/control
        printf 'Filename: pool/%s.deb\nSize: %s\nSHA256: %s\n\n' "$1" \
            "$(stat -c %s mirror/pool/$1.deb)" "$(sha256sum mirror/pool/$1.deb | cut -d ' ' -f 1)"
    } >>$main/binary-$arch/Packages
    rm -r deb
}
help_package libreoffice-help-en-us en-US <<'END'
<h1 id="a">Insert a <b>small</b> table</h1><p id="b" class="x">Cells &amp; rows &lt;are&gt; made. "Ok" ends it all.</p>
<p id="c">Only in English there.</p>
<p id="d">Same in both languages</p>
END
help_package libreoffice-help-fr fr <<'END'
<p id="b">Cellules &amp; lignes &lt;sont&gt; créées. « Ok » termine tout.</p>
<h1 id="a">Insérer un <a href="x">petit</a> tableau</h1>
<p id="d">Same in both languages</p>
END
{
    printf 'Suite: test\nCodename: test\nComponents: main\nArchitectures: %s\n' "$arch"
    printf 'Date: %s\nSHA256:\n' "$(LC_ALL=C date -Ru)"
    cd mirror/dists/test || exit 1
    for file in main/*/*; do
        printf ' %s %s %s\n' "$(sha256sum $file | cut -d ' ' -f 1)" "$(stat -c %s $file)" $file
    done
} >release
mv "$scratch/release" Release
cd "$scratch" || exit 1
echo "deb [trusted=yes] file:$scratch/mirror test main" >sources.list
cat >apt.conf <<END
Dir::Etc::sourcelist "$scratch/sources.list";
Dir::Etc::sourceparts "$scratch/none";
END
export APT_CONFIG=$scratch/apt.conf

# ---- What comes of it ------------------------------------------------------------------------

"$script" out --softalign "$softalign" 2>report || expect "exit code" 0 "$?: $(cat report)"
cat out/*.tsv | sort >all
expect "pairs of one description" "Tool number 7 counts things of kind 7.	L'outil numéro 7 compte des choses du genre 7.
a first point of the number 7	un premier point du numéro 7
tool number 7	outil numéro 7" "$(grep ' 7\b' all | LC_ALL=C sort)"
expect "verbatim lines" "" "$(grep verbatim all)"
expect "repeated sentences" "It is fast.	Il est rapide." "$(grep fast all)"
expect "pairs of uneven descriptions" "one more paragraph	un alinéa de plus
one more sentence	une phrase de plus" "$(grep -E 'more|paragraph|autre' all)"
expect "broken pairs" "" "$(grep -iE 'broken|decompressor' all)"
expect "what nobody translated" "" "$(grep Nobody all)"
expect "help" '"Ok" ends it all.	« Ok » termine tout.
Cells & rows <are> made.	Cellules & lignes <sont> créées.
Insert a small table	Insérer un petit tableau' "$(grep -E 'Ok|Cells|small' all | LC_ALL=C sort)"
expect "texts left in English" "" "$(grep -E 'Only|Same' all)"
expect "sentences on two sides of the split" "" "$(
    for part in train valid test; do cut -f 1 out/$part.tsv | sort -u; done | sort | uniq -d
)"
expect "parts that are empty" "" "$(find out -empty)"

"$script" again --softalign "$softalign" 2>/dev/null
expect "the same again" "" "$(diff -r out again 2>&1)"
"$script" summaries --parts summaries --softalign "$softalign" 2>/dev/null
expect "summaries alone" 32 "$(cat summaries/*.tsv | wc -l)"
"$script" help --parts help,summaries --softalign "$softalign" 2>/dev/null
expect "summaries and help" 35 "$(cat help/*.tsv | wc -l)"

expect_failure() { # CODE MESSAGE ARGUMENT...
    local code=$1 message=$2 output
    shift 2
    output=$("$script" "$@" 2>&1 >/dev/null)
    expect "exit code of $*" "$code" $?
    expect "message of $*" "corpus-debian: $message" "$(grep ^corpus-debian: <<<"$output" | tail -n 1)"
}
expect_failure 2 "expected OUTDIR"
expect_failure 2 "unknown argument '--langage'" out --langage fr
expect_failure 2 "--language needs a value" out --language
expect_failure 2 "--language 'french': expected a code such as fr or pt_BR" out --language french
expect_failure 2 "--language en: English is the other side" out --language en
expect_failure 2 "--parts: 'helps': expected descriptions, summaries or help" out --parts helps
expect_failure 3 "no pairs of English and 'de' there" out --language de
sed -i 's/file:/file:\/none/' sources.list
expect_failure 5 "apt-get update failed" out
expect "files after failures" "" "$(diff -r out again 2>&1)"

[ "$failures" -eq 0 ]
