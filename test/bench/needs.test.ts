import test from 'ava';
import { missing, type Bench, type Machine } from './needs.ts';

const machine = (commands: readonly string[], engine: object | string = {}): Machine => ({
	has: (command) => Promise.resolve(commands.includes(command)),
	engine: () => Promise.resolve(engine),
});
const NO_ENGINE = 'connect ENOENT /var/run/docker.sock';

for (const [name, bench, on, want] of [
	['nothing where all is there', 'api', machine(['h2load', 'openssl']), []],
	['a command, with its package', 'api', machine(['openssl']), ['`h2load` is missing (Debian package nghttp2-client)']],
	['the engine, and why', 'cri', machine([], NO_ENGINE), [`there is no Docker Engine: ${NO_ENGINE}`]],
	['no engine where it drives none', 'csi', machine(['mkfs.ext4', 'mount', 'truncate'], NO_ENGINE), []],
] as const satisfies readonly (readonly [string, Bench, Machine, readonly string[]])[])
	test(`a benchmark lacks: ${name}`, async (t) => t.deepEqual(await missing(bench, on), want));
