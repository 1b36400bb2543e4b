/** The shim over the real engine and the real socket. Skips, saying why, where there is no engine. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import test from 'ava';
import { containerConfig, ensureTestImage, sandboxConfig, startTestShim, TEST_IMAGE, liveTests, type TestShim } from '../test/tools/cri.ts';
import { runCommand } from '../host/command.ts';
import { eventually } from '../test/tools/eventually.ts';
import { ContainerEventType, ContainerState, NamespaceMode, PodSandboxState, Protocol } from './proto.ts';

const { engine, live } = await liveTests(test);

let shim: TestShim;
test.before(async () => {
	if (typeof engine === 'string') return;
	await ensureTestImage(engine);
	shim = await startTestShim(`it${process.pid}`);
});
test.after.always(async () => shim?.stop());

async function pod(
	name: string,
	more: Parameters<typeof sandboxConfig>[1] = {},
): Promise<{ id: string; config: ReturnType<typeof sandboxConfig> }> {
	const config = sandboxConfig(name, { logDirectory: `${shim.dir}/logs/${name}`, ...more });
	const { podSandboxId: id } = await shim.runtime.runPodSandbox({ config, runtimeHandler: '' });
	return { id, config };
}

async function container(
	sandbox: Awaited<ReturnType<typeof pod>>,
	name: string,
	command: readonly string[],
	more: Parameters<typeof containerConfig>[2] = {},
): Promise<string> {
	const { containerId } = await shim.runtime.createContainer({
		podSandboxId: sandbox.id,
		config: containerConfig(name, command, more),
		sandboxConfig: sandbox.config,
	});
	await shim.runtime.startContainer({ containerId });
	return containerId;
}

async function ended(containerId: string): Promise<number> {
	for (;;) {
		const { status } = await shim.runtime.containerStatus({ containerId, verbose: false });
		if (status?.state === ContainerState.CONTAINER_EXITED) return status.exitCode;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

live('a pod runs: address, state, log in CRI format, exit code', async (t) => {
	const one = await pod('one');
	const { status } = await shim.runtime.podSandboxStatus({ podSandboxId: one.id, verbose: false });
	t.is(status?.state, PodSandboxState.SANDBOX_READY);
	t.regex(status?.network?.ip ?? '', /^\d+\.\d+\.\d+\.\d+$/);
	const id = await container(one, 'hello', ['sh', '-c', 'echo out; echo err >&2; printf partial; exit 3']);
	t.is(await ended(id), 3);
	// The end may be told before the last of the log is written.
	const lines = await eventually('the log', async () => {
		const written = readFileSync(`${one.config.logDirectory}/hello.log`, 'utf8').split('\n').slice(0, -1);
		return written.length >= 3 && written;
	});
	t.true(lines.every((l) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z (stdout|stderr) [PF] /.test(l)));
	t.deepEqual(lines.map((l) => l.split(' ').slice(1).join(' ')).sort(), ['stderr F err', 'stdout F out', 'stdout P partial']);
	await shim.runtime.removePodSandbox({ podSandboxId: one.id });
	t.deepEqual((await shim.runtime.listPodSandbox({ filter: undefined })).items, []);
	await t.notThrowsAsync(shim.runtime.removePodSandbox({ podSandboxId: one.id }), 'removing twice is success');
	await t.notThrowsAsync(shim.runtime.stopContainer({ containerId: id, timeout: 1n }), 'stopping what is gone is success');
});

live('a container is started once: neither one that runs nor one that has ended starts again', async (t) => {
	const sandbox = await pod('once');
	const id = await container(sandbox, 'main', ['sh', '-c', 'echo ran']);
	await ended(id);
	await t.throwsAsync(shim.runtime.startContainer({ containerId: id }), { code: 'FailedPrecondition' });
	const { status } = await shim.runtime.containerStatus({ containerId: id, verbose: false });
	t.is(status?.state, ContainerState.CONTAINER_EXITED);
	const running = await container(sandbox, 'running', ['busybox', 'sleep', '1000']);
	await t.throwsAsync(shim.runtime.startContainer({ containerId: running }), { code: 'FailedPrecondition' });
	await shim.runtime.removePodSandbox({ podSandboxId: sandbox.id });
});

live('pods reach the host at the gateway, each other, and the host reaches them', async (t) => {
	const server = createServer((socket) => socket.end('from the host'))
		.listen(0, '0.0.0.0')
		.unref();
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	const a = await pod('a');
	const b = await pod('b');
	const ip = (await shim.runtime.podSandboxStatus({ podSandboxId: b.id, verbose: false })).status?.network?.ip ?? '';
	const gateway = JSON.parse((await shim.runtime.status({ verbose: true })).info.config ?? '{}') as { gateway: string };
	await container(b, 'serve', ['sh', '-c', 'while :; do echo from b | busybox nc -l -p 8080; done']);
	const id = await container(a, 'ask', ['busybox', 'sleep', '100']);
	const run = async (cmd: string): Promise<string> => {
		const { stdout } = await shim.runtime.execSync({ containerId: id, cmd: ['sh', '-c', cmd], timeout: 60n });
		return Buffer.from(stdout).toString().trim();
	};
	t.is(await run(`busybox nc ${gateway.gateway} ${port} </dev/null`), 'from the host');
	const patient = `until busybox nc -w 3 ${ip} 8080 </dev/null 2>/dev/null; do busybox usleep 20000; done`; // between two clients nobody listens
	t.is(await run(patient), 'from b');
	t.is((await runCommand('sh', ['-c', patient])).trim(), 'from b');
	t.is(await run('busybox hostname; busybox cat /etc/hosts | busybox grep -c "\ta$"'), 'a\n1');
	server.close();
	await Promise.all([a, b].map(({ id: podSandboxId }) => shim.runtime.removePodSandbox({ podSandboxId })));
});

live('host ports lead to the pod, from the host and from the pod itself', async (t) => {
	const hostPort = 20000 + (process.pid % 10000);
	const p = await pod('hp', { portMappings: [{ protocol: Protocol.TCP, containerPort: 80, hostPort, hostIp: '' }] });
	const id = await container(p, 'serve', ['sh', '-c', 'while :; do echo yes | busybox nc -l -p 80; done']);
	const patient = (ip: string): string => `until busybox nc -w 3 ${ip} ${hostPort} </dev/null 2>/dev/null; do busybox usleep 20000; done`;
	t.is((await runCommand('sh', ['-c', patient('127.0.0.1')])).trim(), 'yes');
	const gateway = JSON.parse((await shim.runtime.status({ verbose: true })).info.config ?? '{}') as { gateway: string };
	const { stdout } = await shim.runtime.execSync({
		containerId: id,
		cmd: ['sh', '-c', patient(gateway.gateway)],
		timeout: 60n,
	});
	t.is(Buffer.from(stdout).toString().trim(), 'yes');
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
	t.false((await runCommand('iptables-save', [])).includes(`--dport ${hostPort} `));
});

live('ExecSync answers output and code, and a time-out kills the process', async (t) => {
	const p = await pod('ex');
	const id = await container(p, 'main', ['busybox', 'sleep', '1000']);
	const answer = await shim.runtime.execSync({ containerId: id, cmd: ['sh', '-c', 'echo out; echo err >&2; exit 4'], timeout: 0n });
	t.deepEqual([Buffer.from(answer.stdout).toString(), Buffer.from(answer.stderr).toString(), answer.exitCode], ['out\n', 'err\n', 4]);
	await t.throwsAsync(shim.runtime.execSync({ containerId: id, cmd: ['sh', '-c', 'busybox sleep 777'], timeout: 1n }), {
		code: 'DeadlineExceeded',
	});
	await eventually('the process is gone', async () => {
		const { stdout } = await shim.runtime.execSync({ containerId: id, cmd: ['busybox', 'ps'], timeout: 60n });
		return !Buffer.from(stdout).toString().includes('777');
	});
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
});

live('events come as changes happen, with the pod state', async (t) => {
	const stop = new AbortController();
	const seen: ContainerEventType[] = [];
	const exited = Promise.withResolvers<void>();
	const follow = (async () => {
		try {
			for await (const event of shim.runtime.getContainerEvents({}, { signal: stop.signal })) {
				seen.push(event.containerEventType);
				const status = event.containersStatuses.find((c) => c.id === event.containerId);
				if (event.containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT && status?.state === ContainerState.CONTAINER_EXITED)
					exited.resolve();
			}
		} catch (error) {
			if (!stop.signal.aborted) exited.reject(error);
		}
	})();
	const p = await pod('ev');
	await container(p, 'short', ['busybox', 'true']);
	await exited.promise;
	stop.abort();
	await follow;
	t.true(seen.includes(ContainerEventType.CONTAINER_STARTED_EVENT));
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
});

live('a restart of the shim loses no pod, no process and no line', async (t) => {
	const p = await pod('re');
	const id = await container(p, 'count', ['sh', '-c', 'i=0; while :; do echo line $i; i=$((i+1)); busybox usleep 5000; done']);
	const before = (await shim.runtime.containerStatus({ containerId: id, verbose: false })).status;
	const log = `${p.config.logDirectory}/count.log`;
	for (let i = 1; i <= 3; i++) {
		await eventually(`${i * 10} lines`, async () => readFileSync(log, 'utf8').split('\n').length > i * 10);
		await shim.restart();
	}
	await eventually('40 lines', async () => readFileSync(log, 'utf8').split('\n').length > 40);
	const { status } = await shim.runtime.containerStatus({ containerId: id, verbose: false });
	t.is(status?.state, ContainerState.CONTAINER_RUNNING);
	t.is(status?.startedAt, before?.startedAt);
	t.is((await shim.runtime.podSandboxStatus({ podSandboxId: p.id, verbose: false })).status?.state, PodSandboxState.SANDBOX_READY);
	await shim.runtime.stopContainer({ containerId: id, timeout: 0n });
	t.is(await ended(id), 137);
	const numbers = [...readFileSync(log, 'utf8').matchAll(/line (\d+)$/gm)].map((m) => Number(m[1]));
	t.true(numbers.length >= 40);
	t.deepEqual(
		numbers,
		numbers.map((_, i) => i),
	);
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
});

live('security context, resources, mounts, environment and sysctls arrive', async (t) => {
	const linux = {
		cgroupParent: '/kubeling-it',
		sysctls: { 'net.ipv4.ip_unprivileged_port_start': '81' },
		overhead: undefined,
		resources: undefined,
		securityContext: undefined,
	};
	const p = await pod('sec', { linux });
	const base = containerConfig('x', []);
	const id = await container(p, 'main', ['busybox', 'sleep', '1000'], {
		envs: [{ key: 'GREETING', value: Buffer.from('hi there') }],
		mounts: [
			{
				containerPath: '/data',
				hostPath: `${shim.dir}/made-by-the-shim`,
				readonly: true,
				selinuxRelabel: false,
				propagation: 0,
				uidMappings: [],
				gidMappings: [],
				recursiveReadOnly: false,
				image: undefined,
				imageSubPath: '',
			},
		],
		linux: {
			resources: {
				cpuPeriod: 100000n,
				cpuQuota: 50000n,
				cpuShares: 512n,
				memoryLimitInBytes: 64n << 20n,
				oomScoreAdj: -997n,
				cpusetCpus: '',
				cpusetMems: '',
				hugepageLimits: [],
				unified: {},
				memorySwapLimitInBytes: 0n,
			},
			securityContext: {
				capabilities: { addCapabilities: ['ALL'], dropCapabilities: ['NET_RAW'], addAmbientCapabilities: [] },
				privileged: false,
				namespaceOptions: {
					network: NamespaceMode.POD,
					pid: NamespaceMode.POD,
					ipc: NamespaceMode.POD,
					targetId: '',
					usernsOptions: undefined,
				},
				selinuxOptions: undefined,
				runAsUser: { value: 65534n },
				runAsGroup: { value: 1234n },
				runAsUsername: '',
				readonlyRootfs: true,
				supplementalGroups: [5678n],
				supplementalGroupsPolicy: 0,
				noNewPrivs: true,
				maskedPaths: ['/proc/kcore'],
				readonlyPaths: ['/proc/sys'],
				seccomp: undefined,
				apparmor: undefined,
				apparmorProfile: '',
				seccompProfilePath: '',
			},
		},
	});
	const { stdout } = await shim.runtime.execSync({
		containerId: id,
		cmd: [
			'sh',
			'-c',
			'busybox id -u; busybox id -g; busybox id -G; echo $GREETING; busybox touch /x /data/x 2>&1; busybox cat /proc/sys/net/ipv4/ip_unprivileged_port_start; busybox ps | busybox grep -c pause',
		],
		timeout: 60n,
	});
	const [uid, gid, groups, greeting, rootfs, data, port, pause] = Buffer.from(stdout).toString().trim().split('\n');
	t.deepEqual([uid, gid, greeting, port], ['65534', '1234', 'hi there', '81']);
	t.true(groups?.includes('5678'));
	t.regex(rootfs ?? '', /Read-only/);
	t.regex(data ?? '', /Read-only/);
	t.not(pause, '0', 'the pod shares one PID namespace');
	const { status } = await shim.runtime.containerStatus({ containerId: id, verbose: false });
	t.is(status?.resources?.linux?.memoryLimitInBytes, 64n << 20n);
	const { stats } = await shim.runtime.containerStats({ containerId: id });
	t.true((stats?.memory?.workingSetBytes?.value ?? 0n) > 0n);
	await shim.runtime.updateContainerResources({
		containerId: id,
		linux: {
			...base.linux?.resources,
			cpuPeriod: 0n,
			cpuQuota: 0n,
			cpuShares: 256n,
			memoryLimitInBytes: 128n << 20n,
			oomScoreAdj: 0n,
			cpusetCpus: '',
			cpusetMems: '',
			hugepageLimits: [],
			unified: {},
			memorySwapLimitInBytes: 0n,
		},
		windows: undefined,
		annotations: {},
	});
	t.is((await shim.runtime.containerStatus({ containerId: id, verbose: false })).status?.resources?.linux?.memoryLimitInBytes, 128n << 20n);
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
});

live('a privileged container gets all that this host can give', async (t) => {
	const p = await pod('priv');
	const config = containerConfig('main', []);
	const context = { ...config.linux?.securityContext, privileged: true };
	const id = await container(p, 'main', ['busybox', 'sleep', '1000'], {
		linux: {
			resources: undefined,
			securityContext: {
				capabilities: undefined,
				namespaceOptions: undefined,
				selinuxOptions: undefined,
				runAsUser: undefined,
				runAsGroup: undefined,
				runAsUsername: '',
				readonlyRootfs: false,
				supplementalGroups: [],
				supplementalGroupsPolicy: 0,
				noNewPrivs: false,
				maskedPaths: [],
				readonlyPaths: [],
				seccomp: undefined,
				apparmor: undefined,
				apparmorProfile: '',
				seccompProfilePath: '',
				...context,
			},
		},
	});
	const { exitCode, stderr } = await shim.runtime.execSync({
		containerId: id,
		cmd: ['busybox', 'mount', '-t', 'tmpfs', 'none', '/tmp'],
		timeout: 60n,
	});
	t.is(exitCode, 0, Buffer.from(stderr).toString());
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
});

live('images: listed as the user owns them, looked up, and absent ones are no error', async (t) => {
	const { images } = await shim.images.listImages({ filter: undefined });
	const mine = images.find((i) => i.repoTags.includes(TEST_IMAGE));
	t.true(mine?.pinned, 'what this cluster did not pull is never collected');
	const spec = { image: 'kubeling-test/none:1', annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' };
	t.is((await shim.images.imageStatus({ image: spec, verbose: false })).image, undefined);
	await t.notThrowsAsync(shim.images.removeImage({ image: spec }));
	t.true((await shim.images.imageFsInfo({})).imageFilesystems.length > 0);
});

live('making again what is there is refused, and leaves it as it is', async (t) => {
	const p = await pod('twice');
	const id = await container(p, 'main', ['busybox', 'sleep', '1000']);
	await t.throwsAsync(shim.runtime.runPodSandbox({ config: p.config, runtimeHandler: '' }), { code: 'AlreadyExists' });
	const again = shim.runtime.createContainer({
		podSandboxId: p.id,
		config: containerConfig('main', ['busybox', 'true']),
		sandboxConfig: p.config,
	});
	await t.throwsAsync(again, { code: 'AlreadyExists' });
	await shim.restart();
	const { status } = await shim.runtime.containerStatus({ containerId: id, verbose: false });
	t.is(status?.state, ContainerState.CONTAINER_RUNNING);
	t.is((await shim.runtime.podSandboxStatus({ podSandboxId: p.id, verbose: false })).status?.state, PodSandboxState.SANDBOX_READY);
	const both = await Promise.allSettled(['a', 'b'].map(async () => pod('atonce')));
	const made = both.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
	t.is(made.length, 1, 'of two at once one is made, and stays');
	const once = await shim.runtime.podSandboxStatus({ podSandboxId: made[0]?.id ?? '', verbose: false });
	t.is(once.status?.state, PodSandboxState.SANDBOX_READY);
	for (const { id: podSandboxId } of [p, ...made]) await shim.runtime.removePodSandbox({ podSandboxId });
});

live('bad requests name what is wrong', async (t) => {
	await t.throwsAsync(shim.runtime.runPodSandbox({ config: undefined, runtimeHandler: '' }), { code: 'InvalidArgument' });
	await t.throwsAsync(shim.runtime.runPodSandbox({ config: sandboxConfig('bad'), runtimeHandler: 'none-such' }), { code: 'NotFound' });
	await t.throwsAsync(shim.runtime.containerStatus({ containerId: 'none-such', verbose: false }), { code: 'NotFound' });
	const p = await pod('bad2');
	const create = shim.runtime.createContainer({
		podSandboxId: p.id,
		config: containerConfig('c', ['x'], {
			image: { image: 'kubeling-test/none:1', annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' },
		}),
		sandboxConfig: p.config,
	});
	await t.throwsAsync(create, { code: 'NotFound' });
	const { containerId } = await shim.runtime.createContainer({
		podSandboxId: p.id,
		config: containerConfig('c', ['/no/such/file']),
		sandboxConfig: p.config,
	});
	await t.throwsAsync(shim.runtime.startContainer({ containerId }));
	t.is((await shim.runtime.containerStatus({ containerId, verbose: false })).status?.state, ContainerState.CONTAINER_EXITED);
	await shim.runtime.stopPodSandbox({ podSandboxId: p.id });
	const late = { podSandboxId: p.id, config: containerConfig('late', ['true']), sandboxConfig: p.config };
	await t.throwsAsync(shim.runtime.createContainer(late), { code: 'FailedPrecondition' });
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
});
