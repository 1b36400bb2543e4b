/** Runs the cases of one pod network, inside namespaces of its own (test/tools/netns/enter.ts): SUBJECT HELPER-FOLDER [PLUG-INS]. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installHelper } from '../../cri/network/helper.ts';
import type { PodNetworks } from '../../cri/network/networks.ts';
import type { KnownPod } from '../../cri/network/pod-network.ts';
import { PodSandboxConfig } from '../../cri/proto.ts';
import { report } from '../tools/netns/enter.ts';
import { Place } from '../tools/netns/place.ts';
import type { Case, Scene, Subject } from './pod-network-suite.ts';
import { casesOf, subjectOf, type SubjectName } from './pod-network-subjects.ts';

const [name, binDir = ''] = process.argv.slice(2) as [SubjectName, string | undefined];
// npm puts folders before the system's, and in one of them lies another `nft`.
process.env['PATH'] = (process.env['PATH'] ?? '')
	.split(':')
	.filter((p) => !p.includes('node_modules'))
	.join(':');
const dir = await mkdtemp(join(tmpdir(), 'kubeling-net-'));
const helperPath = await installHelper(dir);
try {
	await using place = new Place(helperPath);
	await place.make();
	const subject = await subjectOf(name, { dir, helperPath, binDir });
	for (const one of casesOf(name)) report({ name: one.name, error: await play(one, place, subject) });
} finally {
	await rm(dir, { recursive: true, force: true });
}
process.exit(0);

async function play(one: Case, place: Place, subject: Subject): Promise<string | undefined> {
	const pods: KnownPod[] = [];
	let network: PodNetworks = await subject.open();
	let count = 0;
	const scene: Scene = {
		place,
		subject,
		get network() {
			return network;
		},
		pods,
		pod: async (more = {}) => {
			const id = `${one.name.replaceAll(/\W/g, '').slice(0, 20)}${process.pid}x${count++}`;
			const metadata = { name: `p${count}`, namespace: 'ns', uid: id, attempt: 0 };
			const made = { name: id, id, config: { ...PodSandboxConfig.decode(Buffer.alloc(0)), metadata, ...more } };
			const reserved = await network.reserve(made);
			const pid = await place.process();
			const address = await network.attach(made, { pid, engineIps: [] }, reserved);
			const pod = { ...made, address, pid };
			pods.push(pod);
			return pod;
		},
		drop: async (pod) => {
			await network.release(pod, () => place.end(pod.pid as number));
			pods.splice(pods.indexOf(pod), 1);
		},
		crash: async (steps) => {
			await network.stop();
			await killAfter(steps, [join(import.meta.dirname, 'pod-network-victim.ts'), name, binDir, dir, helperPath]);
		},
		restart: async (known = pods) => {
			await network.stop();
			pods.splice(0, pods.length, ...known);
			network = await subject.open();
			await network.start(known);
		},
	};
	try {
		await network.start([]);
		await one.run(scene);
		return undefined;
	} catch (error) {
		return error instanceof Error ? (error.stack ?? error.message) : String(error);
	} finally {
		for (const pod of [...pods]) await scene.drop(pod).catch((error: unknown) => console.log(`cannot drop ${pod.id}`, error));
		await network.stop();
	}
}

/** Each line that the program says is a step. */
async function killAfter(steps: number, args: readonly string[]): Promise<void> {
	const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
	const over = new Promise((resolve) => child.once('exit', resolve));
	let said = 0;
	createInterface(child.stdout).on('line', () => {
		if (said++ === steps) child.kill('SIGKILL');
	});
	await over;
}
