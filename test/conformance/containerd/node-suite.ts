/** The node suite (test/conformance/node) on containerd: which of its tests, and where. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '../../tools/command.ts';
import { busyboxImage, commandImage } from '../../tools/images.ts';
import { layers } from '../critest/images.ts';
import { newerEngine, type Release } from '../critest/newer-engine.ts';
import { inOwnNamespaces, removeCgroups } from '../critest/place.ts';

const LOGS = join(import.meta.dirname, '..', '..', '..', '.cache', 'containerd-node');

/** What a version of containerd cannot do, by the beginning of the test's name; the README says so, too. */
const FROM_VERSION: readonly (readonly [test: string, major: number, minor: number])[] = [
	['[sig-node] ImageVolume should succeed with pod and pull policy of Always', 2, 1], // images as volumes
];

/** Those that ask most of a runtime: a minute, where all take several. */
export const SHORT: readonly string[] = [
	'*Container Lifecycle Hook * prestop exec hook*',
	'*Container Runtime * when starting a container that exits*',
	"*Containers should be able to override the image's default command and arguments*",
	'*EmptyDir volumes should support (non-root,0666,tmpfs)*',
	'*Ephemeral Containers * will start an ephemeral container*',
	'*ImageVolume*',
	'*InPlace Resize * increase cpu & mem on c1, decrease cpu & mem on c2, c3*',
	'*InitContainer * on a RestartAlways pod*',
	'*Kubelet * hostAliases*',
	'*Pods should support remote command execution over websockets*',
	'*Pods should support retrieving logs*',
	'*Probing container should be restarted with a exec*',
	'*RuntimeClass should schedule a Pod requesting a RuntimeClass without PodOverhead*',
	'*Security Context *',
	'*Subpath * projected pod*',
	'*Sysctls * should support sysctls*',
];

export interface NodeSuite {
	/** A later Debian release's containerd; the machine's own unless told. */
	readonly release?: Release | undefined;
	/** Names of tests, as ava's `--match` has them; all where this is empty. */
	readonly match: readonly string[];
}

/** Prints what ava prints, and its totals; resolves with the exit code, and where the logs are. */
export async function nodeSuite({ release, match }: NodeSuite): Promise<{ readonly code: number; readonly logs: string }> {
	const bin = release === undefined ? '' : await newerEngine(release);
	const logs = join(LOGS, release ?? 'machine');
	const wanted = [...match, ...(await beyond(bin))].flatMap((name) => ['--match', name]);
	await layers();
	await rm(logs, { recursive: true, force: true });
	await mkdir(logs, { recursive: true });
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-containerd-'));
	const name = `containerd-${process.pid}`;
	try {
		const images = [await busyboxImage(), await commandImage()];
		await must('docker', ['save', '--output', join(dir, 'images.tar'), ...images]);
		return {
			code: await inOwnNamespaces(join(import.meta.dirname, 'node-inside.ts'), [logs, dir, name, bin, ...wanted], process.env),
			logs,
		};
	} finally {
		await removeCgroups(`/kubeling-${name}`);
		await rm(dir, { recursive: true, force: true, maxRetries: 10 });
	}
}

/** The tests that this containerd is too old for, as what not to match; each is told. */
async function beyond(bin: string): Promise<readonly string[]> {
	const said = await must(join(bin, 'containerd'), ['--version']);
	const [, major, minor] = / v?(\d+)\.(\d+)\./.exec(said) ?? [];
	const old = FROM_VERSION.filter(([, m, n]) => Number(major) < m || (Number(major) === m && Number(minor) < n));
	for (const [test, m, n] of old) console.log(`left out, since this is containerd ${major}.${minor} and it needs ${m}.${n}: ${test}`);
	return old.map(([test]) => `!${test}*`);
}
