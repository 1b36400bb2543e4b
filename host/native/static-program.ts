/**
 * Static programs without libc, from C to where they run: compiled for x86-64 and arm64 and kept as base64 in a generated file, so that sources, bundle
 * and package carry them alike. Compiling needs gcc and gcc-aarch64-linux-gnu with linux-libc-dev-arm64-cross; the same compiler gives the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface StaticProgram {
	/** Where the source is; the generated file is in `gen/` there. */
	readonly dir: string;
	/** "pause.c". */
	readonly source: string;
}

const HERE = import.meta.dirname;
const HEADERS = ['syscall.h', 'text.h'].map((file) => join(HERE, file));
const COMPILERS = { x64: 'gcc', arm64: 'aarch64-linux-gnu-gcc' } as const;
const FLAGS =
	'-Os -Wall -Wextra -Werror -std=gnu11 -static -nostdlib -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-pie -no-pie -Wl,--build-id=none,-z,noseparate-code,-s'.split(
		' ',
	);

/** The hash of what the binaries are built from, kept beside them so that a test sees when they are stale. */
export function sourceHash({ dir, source }: StaticProgram): string {
	const hash = createHash('sha256').update(FLAGS.join(' '));
	for (const file of [join(dir, source), ...HEADERS]) hash.update(readFileSync(file));
	return hash.digest('hex');
}

/** Writes the generated file. With `--check` it is compared instead, and the process's exit code tells. */
export function buildStatic(program: StaticProgram, args: readonly string[]): void {
	const name = basename(program.source, '.c');
	const out = join(program.dir, 'gen', `${name}.ts`);
	const text = generate(program, name.toUpperCase().replaceAll('-', '_'));
	if (!args.includes('--check')) writeFileSync(out, text);
	else if (readFileSync(out, 'utf8') !== text) {
		process.stderr.write(`${out} differs from what ${program.source} builds to; build it anew\n`);
		process.exitCode = 1;
	}
}

function generate(program: StaticProgram, name: string): string {
	const entries = Object.entries(COMPILERS).map(([arch, compiler]) => `\t${arch}: '${compile(program, compiler)}',\n`);
	return `// Written by build.ts from ${program.source}; do not edit.\nexport const ${name}_SOURCE_SHA256 = '${sourceHash(program)}';\nexport const ${name}_BASE64 = {\n${entries.join('')}} as const;\n`;
}

function compile({ dir, source }: StaticProgram, compiler: string): string {
	const made = mkdtempSync(join(tmpdir(), 'kubeling-build-'));
	try {
		const out = join(made, 'program');
		execFileSync(compiler, [...FLAGS, `-ffile-prefix-map=${dir}=.`, '-o', out, source], {
			cwd: dir,
			stdio: ['ignore', 'inherit', 'inherit'],
		});
		return readFileSync(out).toString('base64');
	} finally {
		rmSync(made, { recursive: true, force: true });
	}
}
