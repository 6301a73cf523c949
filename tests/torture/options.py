#!/usr/bin/env python3
"""Trainings with random options, and every command on the models that they make.

    tests/torture/options.py SOFTALIGN LOG [--runs N] [--only SEED]

The options, their ranges and their choices are those of each command's help, so a new row is drawn as soon as
it is there. A training that is refused loses one option after the other until it is accepted; every refusal
needs a message and its exit code. The rest of a run: the training again, stopped, resumed by other numbers of
threads; all commands that take a model.

A fault is a signal, an exit code outside the documented ones, a message that says nothing, nan or inf in an
output, a check that fails, other bits by other threads or after resuming. LOG has one line per run, after
the program's checksum: the same command goes on after an interruption. --only repeats one run and prints its commands. Prints
"runs of random options: N/N".
"""
import argparse
import collections
import hashlib
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile

CODES = {0, 2, 3, 4, 7, 8}  # 1: a check that failed; 5, 6: nothing here fills a disk or trains twice
SMALL = {'embed': 8, 'hidden': 8, 'attn': 8, 'maxout': 6, 'ffn': 12, 'batch': 8, 'layers': 2}
SIZES = {*SMALL, 'value-size', 'kv-heads', 'heads'}  # a gigabyte at the largest of their range
UNDRAWN = {'out', 'train', 'resume', 'overwrite', 'preset', 'notes', 'open-at', 'break', 'list', 'profile',
           'verbose', 'threads', 'steps', 'epochs', 'max-time', 'max-len', 'alignments', 'help'}
TEXTS = {'WAY': ['uniform', 'shuffle', 'shift:1', 'shift:-2', 'one-hot', 'expected', 'gold'],
         'TEXT': ['a <b>', "l'été"], 'head': ['1', '2', 'mean', 'max'], 'site': ['cross', 'encoder', 'decoder'],
         'columns': ['1,2', '2,1'], 'glossaries': ['cat', 'cat dort </s>', '@@']}
ROW = re.compile(r'^  --([a-z0-9-]+)(?: ([A-Z]+))?(?=\s)(.*?)(?=^  --|^\S|\Z)', re.M | re.S)
NOT_FINITE = re.compile(r'(?<![\w-])[-+]?(?:nan|inf|NaN|Infinity)(?![\w-]|@@)')  # inf@@ begins a word


class Fault(Exception):
    pass


Row = collections.namedtuple('Row', 'name meta low high choices')


def rows_of(softalign, command):
    """The options of a command's help that are drawn."""
    text = subprocess.run([softalign, command, '--help'], capture_output=True, text=True, check=True).stdout
    rows = []
    for name, meta, body in ROW.findall(text):
        limits = re.search(r'\[([^][]*); default [^][;]*\]$', ' '.join(body.split())) if meta else None
        spans = re.match(r'(\S+) to (\S+)(?: or (\S+))?$', limits[1]) if limits else None
        choices = re.split(r', | or ', limits[1]) if limits and not spans else TEXTS.get(name, TEXTS.get(meta, []))
        if spans:
            choices = [spans[3]] if spans[3] else []
        if name not in UNDRAWN:
            rows.append(Row(name, meta, spans and float(spans[1]), spans and float(spans[2]), choices))
    return rows


def number(rng, row):
    """Most are small; the ends of the range and a number beyond it are drawn, too."""
    whole = row.meta != 'X' and row.meta not in 'AB'
    end = rng.random()
    if end < 0.1:
        return f'{row.low:.15g}'
    if end < 0.15 and row.name not in SIZES:
        return f'{row.high:.15g}'
    if end < 0.16:
        return f'{row.high + 1:.16g}'
    high = min(row.high, 24 if row.name in SIZES else 40)
    if whole:
        return str(rng.choice([n for n in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 33) if row.low <= n <= high]))
    return f'{rng.uniform(row.low, min(high, 2)):.4g}' if rng.random() < 0.8 else f'{rng.uniform(row.low, high):.4g}'


def value_of(rng, row, pairs):
    if not row.meta:
        return None
    if row.choices and (row.low is None or rng.random() < 0.3):
        return rng.choice(row.choices)
    if row.low is not None:
        return number(rng, row)
    if row.meta == 'PAIRS':
        return pairs
    if row.meta in ('WORDS', 'TEXT', 'NAME'):
        return rng.choice(['the cat', 'le chat </s>', ''])
    if row.meta in ('FILE', 'DIR', 'MODEL', 'LINKS'):
        return f'{row.name}.{rng.randrange(1 << 30)}'
    raise SystemExit(f'options.py knows no value for --{row.name} {row.meta}')


def draw(rng, rows, most, pairs='pairs.tsv'):
    count = min(len(rows), int(rng.expovariate(1) * most))
    return {row.name: value_of(rng, row, pairs) for row in rng.sample(rows, count)}


def arguments(options):
    return [part for name, value in options.items()
            for part in ([f'--{name}'] if value is None else [f'--{name}', str(value)])]


class Run:
    """One run in its own folder."""

    def __init__(self, softalign, seed, show):
        self.softalign, self.rng, self.show = softalign, random.Random(seed), show
        self.refused = 0

    def call(self, *args, may=(0,), text=None):
        """Runs a command and returns its code and its output or message; a code outside `may` is a fault."""
        words = [str(arg) for arg in args]
        if self.show:
            print('softalign', shlex.join(words), '' if text is None else '< sources', flush=True)
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (600, 610))
        done = subprocess.run([self.softalign, *words], capture_output=True, input=text, text=True, timeout=3000,
                              errors='surrogateescape', preexec_fn=limit)
        fault = f'softalign {shlex.join(words)}: code {done.returncode}: {done.stderr[-600:].strip()}'
        if done.returncode not in may:
            failed = [line for line in done.stdout.splitlines() if re.search('FAILED|WRONG|"ok": ?false', line)]
            raise Fault(f'{fault} {" ".join(failed)[:600]}')
        said = re.search(r'^softalign: \S+ .*\S', done.stderr, re.M) if done.returncode else True
        if not said or re.search(r'internal error|\(null\)|%[sdzg]|Sanitizer|runtime error', done.stderr):
            raise Fault(f'message: {fault}')
        wrong = NOT_FINITE.search(done.stdout + done.stderr)
        if wrong and done.returncode == 0:
            line = next(line for line in (done.stdout + done.stderr).splitlines() if NOT_FINITE.search(line))
            raise Fault(f'{wrong[0]}: {fault}: {line[:300]}')
        return done.returncode, done.stderr if done.returncode else done.stdout

    def optional(self, *args, text=None):
        """A command with options of which some may not go together, by one and by three threads."""
        code, out = self.call(*args, '--threads', 1, may=CODES, text=text)
        self.refused += code == 2
        if code == 0 and self.rng.random() < 0.3:
            other = self.call(*args, '--threads', 3, text=text)[1]
            if out != other:
                raise Fault(f'other output by three threads: softalign {shlex.join(map(str, args))}')

    def accepted(self, rows):
        """Trains whole/ with options that go together; returns these, or nothing where it diverged."""
        choices = [row for row in rows if row.choices]
        options = {**SMALL, 'steps': self.rng.choice([1, 3, 6, 9]), 'max-time': 0,
                   **draw(self.rng, rows, 5), **draw(self.rng, choices, 4)}
        while True:
            args = arguments(options)
            code, said = self.call('train', '--train', 'pairs.tsv', '--out', 'whole', *args, '--threads', 1, may=CODES)
            if code != 2:
                return options if code == 0 else None
            self.refused += 1
            names = [name for name in options if name not in ('steps', 'max-time')]
            if not names:
                raise Fault(f'refused without options: {said}')
            named = [name for name in names if f'--{name}' in said and name not in SMALL]
            del options[self.rng.choice(named or names)]

    def resumed(self, options):
        """A training that stops at an update or an epoch and resumes makes the same files."""
        stops = {**options, 'epochs': 1} if self.rng.random() < 0.5 else {
            **options, 'steps': self.rng.randint(1, int(options['steps']))}
        if options.get('schedule') in ('linear', 'cosine'):  # they end at the last of --steps
            stops = {**options, 'epochs': 1}
        self.call('train', '--train', 'pairs.tsv', '--out', 'parts', *arguments(stops), '--threads', 2)
        again = options if self.rng.random() < 0.5 else {
            name: options[name] for name in options if name in ('steps', 'max-time', 'valid', 'snapshots', 'columns')}
        with open('parts/log.csv', encoding='utf-8') as log, open('whole/log.csv', encoding='utf-8') as whole:
            last = log.read().splitlines()[-1].split(',')
            early = last[-1] == '1' and last[1] not in [line.split(',')[1] for line in whole]
        self.call('train', '--train', 'pairs.tsv', '--out', 'parts', '--resume', *arguments(again), '--threads', 3)
        for name in sorted(os.listdir('whole')):
            # The validation at the stop, which the whole training lacks, may have found the best model.
            if name.endswith('.safetensors') and not (early and name == 'best.safetensors'):
                same = os.path.exists(f'parts/{name}') and \
                    open(f'whole/{name}', 'rb').read() == open(f'parts/{name}', 'rb').read()
                if not same:
                    raise Fault(f'resumed after {shlex.join(arguments(stops))}: another {name}')

    def use(self, model, options, rows):
        source, target = self.rng.choice([line.split('\t')[:2] for line in open('pairs.tsv', encoding='utf-8')])
        text = ''.join(line.split('\t')[0] + '\n' for line in open('unseen.tsv', encoding='utf-8'))
        self.call('inspect', model, *arguments(draw(self.rng, rows['inspect'], 1)), may=CODES)
        self.optional('translate', model, *arguments(draw(self.rng, rows['translate'], 4)), text=text)
        for command in ('align', 'eval'):
            self.optional(command, model, 'unseen.tsv',
                          *arguments(draw(self.rng, rows[command], 3, 'unseen.tsv')))
        words = [source, target] if self.rng.random() < 0.5 else [source]
        self.call('explain', model, *words, *arguments(draw(self.rng, rows['explain'], 2)), may=CODES)
        erased = options.get('embed') == '1' and options.get('model') in ('transformer', 'decoder')  # by layer normalization
        self.call('prove', model, 'unseen.tsv', '--limit', 3, '--seed', self.rng.randrange(1000),
                  may=CODES | {1} if erased else CODES)

    def gradients(self, options, rows):
        """Double precision is slow: the sizes and the batch are gradcheck's own, but for those that were drawn."""
        known = {row.name for row in rows}
        kept = {name: value for name, value in options.items()
                if name in known and name not in ('batch', 'batch-tokens', 'html') and SMALL.get(name) != value}
        self.call('gradcheck', *arguments(kept), '--threads', 1, may=CODES)

    def run(self, rows):
        task = self.rng.choice(rows['tasks'])
        for name, pairs, split in (('pairs.tsv', self.rng.choice([2, 9, 30]), 'train'), ('unseen.tsv', 5, 'test')):
            out = self.call('corpus', task, '--pairs', pairs, '--seed', self.rng.randrange(1000), '--split', split)[1]
            with open(name, 'w', encoding='utf-8') as file:
                file.write(out)
        options = self.accepted(rows['train'])
        if options:
            self.resumed(options)
            models = [f'whole/{name}' for name in sorted(os.listdir('whole')) if name.endswith('.safetensors')]
            self.use(self.rng.choice(models), options, rows)
            if self.rng.random() < 0.15:
                self.gradients(options, rows['gradcheck'])
        return bool(options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('softalign')
    parser.add_argument('log')
    parser.add_argument('--runs', type=int, default=10000)
    parser.add_argument('--only', type=int)
    given = parser.parse_args()
    softalign, log = os.path.abspath(given.softalign), os.path.abspath(given.log)
    commands = ('train', 'inspect', 'translate', 'align', 'eval', 'explain', 'gradcheck')
    rows = {command: rows_of(softalign, command) for command in commands}
    text = subprocess.run([softalign, 'corpus', '--help'], capture_output=True, text=True, check=True).stdout
    rows['tasks'] = re.findall(r'^  (\w+)', text.split('Tasks:')[1].split('Options:')[0], re.M)
    program = hashlib.sha256(open(softalign, 'rb').read()).hexdigest()
    done = open(log, encoding='utf-8').read().splitlines() if os.path.exists(log) else []
    if done[:1] != [program] and not given.only:
        done = [program]
        with open(log, 'w', encoding='utf-8') as file:
            file.write(program + '\n')
    done = done[1:]
    first = int(done[-1].split('\t')[0]) + 1 if done else 1
    home = os.getcwd()
    for seed in [given.only] if given.only else range(first, given.runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            run = Run(softalign, seed, given.only)
            try:
                verdict = 'accepted' if run.run(rows) else 'diverged'
            except (Fault, subprocess.TimeoutExpired) as fault:
                verdict = 'fault\t' + ' '.join(str(fault).split())
                print(f'seed {seed}: {fault}', file=sys.stderr, flush=True)
            os.chdir(home)
        done = [] if given.only else done
        done.append(f'{seed}\t{run.refused} refused\t{verdict}')
        if not given.only:
            with open(log, 'a', encoding='utf-8') as file:
                file.write(done[-1] + '\n')
    faults = sum('\tfault' in line for line in done)
    print(f'runs of random options: {len(done) - faults}/{len(done)}')
    return faults > 0


if __name__ == '__main__':
    sys.exit(main())
