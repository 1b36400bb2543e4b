/** What containers are given on a real engine: images as volumes, CDI devices, users of images. Skips, saying why, where there is no engine. */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { readMounts } from '../host/mounts.ts';
import { processStat } from '../host/process.ts';
import { containerConfig, ensureTestImage, sandboxConfig, startTestShim, TEST_IMAGE, liveTests, type TestShim } from '../test/tools/cri.ts';
import { eventually } from '../test/tools/eventually.ts';
import type { ContainerInspect } from './engine/types.ts';
import { ImageUsers } from './images/image-users.ts';
import { mustInspectImage } from './images/inspect.ts';
import { ContainerState, LinuxContainerResources, type ContainerConfig, type ImageSpec, type Mount } from './proto.ts';

const { engine, live } = await liveTests(test);

let shim: TestShim;
let podSandboxId = '';
const sandbox = sandboxConfig('given');
/** What programs say last. */
const OVER = 'over-and-out';
const CDI = `/var/run/cdi/kubeling-test-${process.pid}.json`;

test.before(async () => {
	if (typeof engine === 'string') return;
	await ensureTestImage(engine);
	shim = await startTestShim(`give${process.pid}`);
	sandbox.logDirectory = join(shim.dir, 'logs');
	({ podSandboxId } = await shim.runtime.runPodSandbox({ config: sandbox, runtimeHandler: '' }));
});
test.after.always(async () => {
	await rm(CDI, { force: true });
	await shim?.stop();
});

async function create(name: string, command: readonly string[], more: Partial<ContainerConfig>): Promise<string> {
	const config = containerConfig(name, command, more);
	return (await shim.runtime.createContainer({ podSandboxId, config, sandboxConfig: sandbox })).containerId;
}

/** Runs to the end and answers its output: the end may be told before the last of the log is written. */
async function output(containerId: string, name: string): Promise<string> {
	await shim.runtime.startContainer({ containerId });
	const log = await eventually('all of its log', async () => {
		const lines = readFileSync(join(sandbox.logDirectory, `${name}.log`), 'utf8')
			.split('\n')
			.slice(0, -1);
		return lines.at(-1)?.endsWith(` ${OVER}`) && lines.slice(0, -1);
	});
	await eventually('its end', async () => {
		const { status } = await shim.runtime.containerStatus({ containerId, verbose: false });
		return status?.state === ContainerState.CONTAINER_EXITED;
	});
	return log.map((line) => line.split(' ').slice(3).join(' ')).join('\n');
}

const limits = LinuxContainerResources.decode(Buffer.alloc(0));
const image: ImageSpec = { image: TEST_IMAGE, annotations: {}, userSpecifiedImage: TEST_IMAGE, runtimeHandler: '', imageRef: '' };
const volume = (containerPath: string, imageSubPath: string): Mount => ({
	containerPath,
	hostPath: '',
	readonly: true,
	selinuxRelabel: false,
	propagation: 0,
	uidMappings: [],
	gidMappings: [],
	recursiveReadOnly: false,
	image,
	imageSubPath,
});

live('an image is mounted as a volume: read-only, not executable, a part of it by sub-path; gone with its container', async (t) => {
	const mounts = [volume('/whole', ''), volume('/part', 'etc/passwd')];
	const script = `head -n 1 /part; touch /whole/x 2>&1; /whole/bin/busybox true 2>&1; ls /whole; echo ${OVER}`;
	const id = await create('volume', ['busybox', 'sh', '-c', script], { mounts });
	const said = await output(id, 'volume');
	t.regex(said, /root:x:0:0/);
	t.regex(said, /Read-only file system/);
	t.regex(said, /Permission denied/);
	t.regex(said, /etc\n/);
	const { status } = await shim.runtime.containerStatus({ containerId: id, verbose: false });
	t.deepEqual(
		status?.mounts.map((m) => m.image?.image),
		[TEST_IMAGE, TEST_IMAGE],
	);
	await shim.runtime.removeContainer({ containerId: id });
	t.deepEqual(
		(await readMounts()).filter((m) => m.path.startsWith(shim.dir)),
		[],
	);
	await t.throwsAsync(create('nowhere', ['true'], { mounts: [volume('/whole', ''), volume('/part', '../../no/such')] }), {
		message: /has no/,
	});
	t.deepEqual(await readdir(join(shim.dir, 'data/image-volumes')), ['empty'], 'nothing is left of a container that was refused');
});

live('a CDI device comes with its environment, nodes and mounts', async (t) => {
	const kind = `kubeling.test/p${process.pid}`;
	await mkdir('/var/run/cdi', { recursive: true });
	const containerEdits = {
		env: ['FROM=cdi'],
		deviceNodes: [{ path: '/dev/given', hostPath: '/dev/null' }],
		mounts: [{ hostPath: '/etc/hostname', containerPath: '/given', options: ['ro', 'bind'] }],
	};
	await writeFile(CDI, JSON.stringify({ cdiVersion: '0.6.0', kind, devices: [{ name: 'one', containerEdits }] }));
	const id = await create('cdi', ['busybox', 'sh', '-c', `echo $FROM; test -c /dev/given && echo node; cat /given; echo ${OVER}`], {
		CDIDevices: [{ name: `${kind}=one` }],
	});
	t.is(await output(id, 'cdi'), `cdi\nnode\n${readFileSync('/etc/hostname', 'utf8').trim()}`);
	await t.throwsAsync(create('cdi2', ['true'], { CDIDevices: [{ name: `${kind}=two` }] }), { message: /no CDI device/ });
});

live("an image's users are read from its layers, or through the engine", async (t) => {
	if (typeof engine === 'string') return;
	const found = await mustInspectImage(engine, TEST_IMAGE);
	const fromLayers = await new ImageUsers(engine, 'unused').files(found);
	t.regex(fromLayers.passwd, /^root:x:0:0/);
	const { GraphDriver: _, ...elsewhere } = found;
	t.deepEqual(await new ImageUsers(engine, `kubeling-test${process.pid}_`).files(elsewhere), fromLayers);
});

live('limits are set, changed in place, and told as they are, also after a restart of the shim', async (t) => {
	const linux = {
		resources: { ...limits, memoryLimitInBytes: 64n << 20n, cpuShares: 100n, oomScoreAdj: 500n },
		securityContext: undefined,
	};
	const containerId = await create('limits', ['busybox', 'sleep', '3600'], { linux });
	await shim.runtime.startContainer({ containerId });
	const told = async (): Promise<LinuxContainerResources | undefined> =>
		(await shim.runtime.containerStatus({ containerId, verbose: false })).status?.resources?.linux;
	const first = await told();
	t.deepEqual(
		[first?.memoryLimitInBytes, first?.memorySwapLimitInBytes, first?.cpuShares, first?.oomScoreAdj],
		[64n << 20n, 64n << 20n, 100n, 500n],
	);
	const update = { ...limits, memoryLimitInBytes: 80n << 20n, cpuPeriod: 100_000n, cpuQuota: 50_000n, cpusetCpus: '0', oomScoreAdj: 700n };
	const hugepageLimits = [{ pageSize: '2MB', limit: 0n }];
	await shim.runtime.updateContainerResources({ containerId, linux: { ...update, hugepageLimits }, windows: undefined, annotations: {} });
	const { info } = await shim.runtime.containerStatus({ containerId, verbose: true });
	const { pid } = JSON.parse(info['info'] ?? '{}') as { pid: number };
	t.is(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim(), '700');
	t.regex(readFileSync(`/proc/${pid}/status`, 'utf8'), /Cpus_allowed_list:\t0\n/);
	const want = { ...update, memorySwapLimitInBytes: 80n << 20n, cpuShares: 100n, hugepageLimits };
	t.like(await told(), want);
	await shim.restart();
	t.like(await told(), want);
	const bad = { ...limits, unified: { '../../x': '1' } };
	await t.throwsAsync(shim.runtime.updateContainerResources({ containerId, linux: bad, windows: undefined, annotations: {} }), {
		message: /no limit of a control group/,
	});
	await shim.runtime.removeContainer({ containerId });
});

live("a container is run by its sandbox's containerd shim where the engine passes that on, else by one of its own", async (t) => {
	if (typeof engine === 'string') return;
	const containerId = await create('grouped', ['busybox', 'sleep', '100'], {});
	await shim.runtime.startContainer({ containerId });
	const runBy = async (id: string): Promise<number | undefined> => {
		const { State } = await engine.call<ContainerInspect>({ method: 'GET', path: `/containers/${id}/json` });
		return (await processStat(State.Pid))?.parent;
	};
	const minor = Number(engine.apiVersion.split('.')[1]);
	t.is((await runBy(containerId)) === (await runBy(podSandboxId)), minor >= 43);
});

live('a checkpoint says why there can be none', async (t) => {
	const containerId = await create('checkpoint', ['busybox', 'sleep', '3600'], {});
	const location = join(shim.dir, 'checkpoint.tar');
	await t.throwsAsync(shim.runtime.checkpointContainer({ containerId, location, timeout: 60n }), { message: /does not run/ });
	await shim.runtime.startContainer({ containerId });
	await shim.runtime.checkpointContainer({ containerId, location, timeout: 60n }).then(
		() => t.true(readFileSync(location).length > 0), // an engine with experimental features, and CRIU
		(error: Error) => t.regex(error.message, /experimental features of Docker Engine are off|needs CRIU/),
	);
	await shim.runtime.removeContainer({ containerId });
});

live('containers that never start leave no connection to the engine', async (t) => {
	const open = async (): Promise<number> => {
		const fds = await readdir('/proc/self/fd');
		const links = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
		return links.filter((to) => to.startsWith('socket:')).length;
	};
	const before = await open();
	const made = await Promise.all(Array.from({ length: 10 }, (_, i) => create(`unstarted-${i}`, ['busybox', 'true'], {})));
	await symlink('/dev/null', join(sandbox.logDirectory, 'refused.log'));
	made.push(await create('refused', ['busybox', 'true'], {}));
	await t.throwsAsync(shim.runtime.startContainer({ containerId: made.at(-1) ?? '' }));
	for (const containerId of made) await shim.runtime.removeContainer({ containerId });
	let now = 0;
	await eventually(
		() => `as few connections as the ${before} before, not ${now}`,
		async () => (now = await open()) <= before,
	);
	t.pass();
});
