/**
 * Runs inside namespaces of its own: an engine, a shim and pods; the engine is killed and started again. Arguments: where the outcome
 * goes, the cgroup, how many pods, and whether containers outlive the engine.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ContainerEventType, ContainerState, PodSandboxState } from '../../../cri/proto.ts';
import { startEngine, SOCKET } from '../../conformance/critest/engine.ts';
import { prepareHost, RUN } from '../../conformance/critest/place.ts';
import { containerConfig, ensureTestImage, sandboxConfig, startTestShim, type TestShim } from '../../tools/cri.ts';
import { eventually } from '../../tools/eventually.ts';

export interface Outcome {
	/** From the moment that the engine answered again until every pod was as it should be. */
	readonly recoveredMs: number;
	readonly problems: readonly string[];
}

interface Made {
	readonly sandbox: string;
	readonly container: string;
	readonly log: string;
}

const [report = '', cgroup = '', count = '', survive = ''] = process.argv.slice(2);
const outlives = survive === 'true';
const flags = outlives ? ['--live-restore'] : [];
const BOUND_MS = 120_000;

await prepareHost([]);
await ensureTestImage(await startEngine(`${report}.dockerd`, cgroup, '', flags));
const shim = await startTestShim('restart', undefined, { dockerHost: SOCKET, cgroupParent: cgroup, engineTimeoutMs: 30_000 }, RUN);
const pods: Made[] = [];
let next = 0;
await Promise.all(
	Array.from({ length: 4 }, async () => {
		while (next < Number(count)) pods.push(await makePod(shim, `p${next++}`));
	}),
);
const told = new Set<string>();
const listening = new AbortController();
const listened = listen(told, listening.signal);
await killEngine();
await startEngine(`${report}.dockerd`, cgroup, '', flags);
const from = performance.now();
await eventually('every pod is as it should be', async () => (await Promise.all(pods.map(asItShould))).every(Boolean), BOUND_MS);
const recoveredMs = performance.now() - from;
const problems: string[] = [];
if (outlives) for (const pod of pods) problems.push(...(await logProblems(pod)));
else await eventually('every end is told', async () => pods.every((pod) => told.has(pod.container) && told.has(pod.sandbox)), BOUND_MS);
listening.abort();
await listened;
await makePod(shim, 'after');
await shim.stop();
await writeFile(report, JSON.stringify({ recoveredMs, problems } satisfies Outcome));
process.exit(0);

async function makePod({ runtime, dir }: TestShim, name: string): Promise<Made> {
	const config = sandboxConfig(name, { logDirectory: join(dir, 'logs', name) });
	const { podSandboxId } = await runtime.runPodSandbox({ config, runtimeHandler: '' });
	const script = 'i=0; while :; do echo line $i; i=$((i+1)); busybox usleep 200000; done';
	const { containerId } = await runtime.createContainer({
		podSandboxId,
		config: containerConfig('main', ['sh', '-c', script]),
		sandboxConfig: config,
	});
	await runtime.startContainer({ containerId });
	return { sandbox: podSandboxId, container: containerId, log: join(config.logDirectory, 'main.log') };
}

/** Whose end the shim told of. */
async function listen(ended: Set<string>, signal: AbortSignal): Promise<void> {
	try {
		for await (const { containerId, containerEventType } of shim.runtime.getContainerEvents({}, { signal }))
			if (containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT) ended.add(containerId);
	} catch (error) {
		if (!signal.aborted) throw error;
	}
}

async function killEngine(): Promise<void> {
	const pid = Number(await readFile('/run/docker.pid', 'utf8'));
	process.kill(pid, 'SIGKILL');
	await eventually('the engine is gone', async () => {
		try {
			process.kill(pid, 0);
			return /^State:\s+Z/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: Z'));
		} catch {
			return true;
		}
	});
	await rm('/run/docker.pid', { force: true });
}

/** Ready, running and answering where containers outlive the engine; else over, as the engine ended them. */
async function asItShould({ sandbox, container }: Made): Promise<boolean> {
	const { runtime } = shim;
	try {
		const { status } = await runtime.podSandboxStatus({ podSandboxId: sandbox, verbose: false });
		const { status: c } = await runtime.containerStatus({ containerId: container, verbose: false });
		if (!outlives) return status?.state === PodSandboxState.SANDBOX_NOTREADY && c?.state === ContainerState.CONTAINER_EXITED;
		const { exitCode } = await runtime.execSync({ containerId: container, cmd: ['busybox', 'true'], timeout: 10n });
		return status?.state === PodSandboxState.SANDBOX_READY && c?.state === ContainerState.CONTAINER_RUNNING && exitCode === 0;
	} catch {
		return false;
	}
}

/** The log goes on. What the engine had read and not kept when it was killed is lost to everybody; nothing comes twice or in another order. */
async function logProblems({ log }: Made): Promise<readonly string[]> {
	const numbers = async (): Promise<readonly number[]> =>
		[...(await readFile(log, 'utf8')).matchAll(/line (\d+)$/gm)].map((m) => Number(m[1]));
	const before = (await numbers()).length;
	const now = await eventually(`${log} goes on`, async () => {
		const all = await numbers();
		return all.length > before ? all : undefined;
	});
	return now.every((n, i) => i === 0 || n > (now[i - 1] as number)) ? [] : [`${log}: ${now.join(' ')}`];
}
