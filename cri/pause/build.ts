/**
 * Builds the static helper from pause.c for x86-64 and arm64 and writes both, as base64, into gen/pause.ts, so that sources,
 * bundle and package carry them alike. Needs gcc and gcc-aarch64-linux-gnu with linux-libc-dev-arm64-cross; the same compiler gives the same bytes.
 * `node cri/pause/build.ts` writes; with `--check` it compares instead (where the compilers exist).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const OUT = join(HERE, 'gen', 'pause.ts');
const COMPILERS = { x64: 'gcc', arm64: 'aarch64-linux-gnu-gcc' } as const;
const FLAGS =
	'-Os -Wall -Wextra -Werror -std=gnu11 -static -nostdlib -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-pie -no-pie -Wl,--build-id=none,-z,noseparate-code,-s'.split(
		' ',
	);

/** The hash of what the binaries are built from, kept beside them so that a test sees when they are stale. */
export function sourceHash(): string {
	const hash = createHash('sha256').update(FLAGS.join(' '));
	for (const file of ['pause.c', 'syscall.h']) hash.update(readFileSync(join(HERE, file)));
	return hash.digest('hex');
}

function build(compiler: string): string {
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-pause-'));
	try {
		const out = join(dir, 'pause');
		execFileSync(compiler, [...FLAGS, `-ffile-prefix-map=${HERE}=.`, '-o', out, 'pause.c'], {
			cwd: HERE,
			stdio: ['ignore', 'inherit', 'inherit'],
		});
		return readFileSync(out).toString('base64');
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
}

function generate(): string {
	const entries = Object.entries(COMPILERS).map(([arch, compiler]) => `\t${arch}: '${build(compiler)}',\n`);
	return `// Written by cri/pause/build.ts from pause.c; do not edit.\nexport const PAUSE_SOURCE_SHA256 = '${sourceHash()}';\nexport const PAUSE_BASE64 = {\n${entries.join('')}} as const;\n`;
}

if (import.meta.main) {
	const text = generate();
	if (!process.argv.includes('--check')) writeFileSync(OUT, text);
	else if (readFileSync(OUT, 'utf8') !== text) {
		process.stderr.write('cri/pause/gen/pause.ts differs from what pause.c builds to; run node cri/pause/build.ts\n');
		process.exitCode = 1;
	}
}
