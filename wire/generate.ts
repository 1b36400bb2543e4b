/** Generates `gen/` from `protos/` with buf and ts-proto; `--check` only tells whether it is up to date. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const bin = join(here, '..', 'node_modules', '.bin');
/** int64 as bigint, enums as literals, oneofs as tagged unions, services for grpc-js; nothing that JSON would need. */
const OPTIONS = [
	'importSuffix=.ts',
	'esModuleInterop=true',
	'env=node',
	'forceLong=bigint',
	'enumsAsLiterals=true',
	'oneof=unions-value',
	'useOptionals=none',
	'outputServices=grpc-js',
	'outputClientImpl=false',
	'outputJsonMethods=false',
	'outputPartialMethods=false',
	'useExactTypes=false',
	'exportCommonSymbols=false',
].join(',');

const check = process.argv.includes('--check');
const out = mkdtempSync(join(here, '.gen-'));
try {
	const template = { version: 'v2', plugins: [{ local: join(bin, 'protoc-gen-ts_proto'), out, strategy: 'all', opt: OPTIONS }] };
	const { status } = spawnSync(join(bin, 'buf'), ['generate', '.', '--template', JSON.stringify(template)], {
		cwd: join(here, 'protos'),
		stdio: 'inherit',
		env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
	});
	if (status !== 0) process.exitCode = 1;
	else if (check) {
		const stale = differing(out, join(here, 'gen'));
		for (const name of stale) console.error(`wire/gen/${name} is not what wire/protos generates: run "npm run generate"`);
		if (stale.length > 0) process.exitCode = 1;
	} else {
		rmSync(join(here, 'gen'), { recursive: true, force: true });
		renameSync(out, join(here, 'gen'));
		writeFileSync(join(here, 'gen', 'README.md'), 'Generated from ../protos by ../generate.ts. Do not edit.\n');
	}
} finally {
	rmSync(out, { recursive: true, force: true });
}

function differing(fresh: string, committed: string): readonly string[] {
	const files = (dir: string): readonly string[] =>
		readdirSync(dir, { recursive: true, withFileTypes: true })
			.filter((f) => f.isFile() && f.name.endsWith('.ts'))
			.map((f) => join(f.parentPath, f.name).slice(dir.length + 1));
	const all = new Set([...files(fresh), ...files(committed)]);
	const text = (path: string): string => {
		try {
			return readFileSync(path, 'utf8');
		} catch {
			return '';
		}
	};
	return [...all].filter((name) => text(join(fresh, name)) !== text(join(committed, name)));
}
