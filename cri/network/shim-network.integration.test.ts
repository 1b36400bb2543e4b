/** The shim with other networks than its bridge, over the real engine: CNI plug-ins, and a network of the engine. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { cniPlugins } from '../../test/tools/cni-plugins.ts';
import { containerConfig, ensureTestImage, sandboxConfig, startTestShim, liveTests, type TestShim } from '../../test/tools/cri.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { runCommand } from '../../host/command.ts';
import { connectPortForward } from '../../wire/remotecommand/port-forward-client.ts';
import { Protocol } from '../proto.ts';
import type { ShimOptions } from '../options.ts';

const { engine, live } = await liveTests(test);
const ID = process.pid;
/** A network of this process alone: 10.(192..255).x.0/24 is neither the engine's nor a cluster's. */
const SUBNET = `10.${192 + (ID % 64)}.${(ID >> 6) % 256}`;

async function shimWith(t: ExecutionContext, more: Partial<ShimOptions>): Promise<TestShim> {
	if (typeof engine === 'string') throw new Error(engine);
	await ensureTestImage(engine);
	const shim = await startTestShim(`net${ID}`, undefined, more);
	t.teardown(() => shim.stop());
	return shim;
}

async function run(
	shim: TestShim,
	name: string,
	more: Parameters<typeof sandboxConfig>[1] = {},
): Promise<{ id: string; ip: string; say(cmd: string): Promise<string> }> {
	const config = sandboxConfig(name, { logDirectory: join(shim.dir, name), ...more });
	const { podSandboxId: id } = await shim.runtime.runPodSandbox({ config, runtimeHandler: '' });
	const { containerId } = await shim.runtime.createContainer({
		podSandboxId: id,
		config: containerConfig('c', ['sh', '-c', 'while :; do echo answer | busybox nc -l -p 80; done']),
		sandboxConfig: config,
	});
	await shim.runtime.startContainer({ containerId });
	const { status } = await shim.runtime.podSandboxStatus({ podSandboxId: id, verbose: false });
	return {
		id,
		ip: status?.network?.ip ?? '',
		say: async (cmd) => {
			const { stdout } = await shim.runtime.execSync({ containerId, cmd: ['sh', '-c', cmd], timeout: 60n });
			return Buffer.from(stdout).toString().trim();
		},
	};
}

/** From the host, until somebody listens. */
const ask = (ip: string, port: number): Promise<string> =>
	eventually(
		`${ip} ${port}`,
		async () => (await runCommand('busybox', ['nc', '-w', '3', ip, String(port)]).catch(() => '')).trim() || undefined,
	);
const networkReady = async (shim: TestShim): Promise<string> => {
	const { status } = await shim.runtime.status({ verbose: false });
	const condition = status?.conditions.find((c) => c.type === 'NetworkReady');
	return condition?.status === true ? '' : (condition?.message ?? 'nothing is said of it');
};

live('CNI: ready once there is a configuration; address, hosts and ports; gone after a restart and a removal', async (t) => {
	t.timeout(600_000);
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-cni-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	const shim = await shimWith(t, { network: 'cni', cniConfDir: join(dir, 'net.d'), cniBinDirs: [await cniPlugins()] });
	t.regex(await networkReady(shim), /No CNI configuration in/);
	await t.throwsAsync(run(shim, 'early'), { code: 'FailedPrecondition' });
	const bridge = `kcni${ID % 100_000}`;
	t.teardown(() => runCommand('ip', ['link', 'delete', bridge]).catch(() => ''));
	await runCommand('mkdir', ['-p', join(dir, 'net.d')]);
	const ipam = { type: 'host-local', dataDir: join(dir, 'leases'), subnet: `${SUBNET}.0/24`, routes: [{ dst: '0.0.0.0/0' }] };
	const plugins = [
		{ type: 'bridge', bridge, isGateway: true, ipMasq: true, hairpinMode: true, ipam },
		{ type: 'portmap', capabilities: { portMappings: true } },
	];
	await writeFile(join(dir, 'net.d', '10-test.conflist'), JSON.stringify({ cniVersion: '1.1.0', name: `test${ID}`, plugins }));
	await eventually('the network', async () => (await networkReady(shim)) === '');
	const hostPort = 30000 + (ID % 2000);
	const p = await run(shim, 'p', { portMappings: [{ protocol: Protocol.TCP, containerPort: 80, hostPort, hostIp: '' }] });
	t.true(p.ip.startsWith(`${SUBNET}.`), p.ip);
	t.regex(await p.say('busybox cat /etc/hosts'), new RegExp(`^${p.ip.replaceAll('.', '\\.')}\tp$`, 'm'));
	t.is(await ask(p.ip, 80), 'answer');
	t.is(await ask(`${SUBNET}.1`, hostPort), 'answer');
	await shim.restart();
	t.is((await shim.runtime.podSandboxStatus({ podSandboxId: p.id, verbose: false })).status?.network?.ip, p.ip);
	await shim.runtime.stopPodSandbox({ podSandboxId: p.id });
	await shim.runtime.stopPodSandbox({ podSandboxId: p.id });
	t.false((await runCommand('ip', ['netns', 'list'])).includes(p.id.slice(0, 32)));
	t.false((await runCommand('iptables-save', [])).includes(`${p.ip}:80`));
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
	t.is(await readFile(join(dir, 'leases', `test${ID}`, p.ip), 'utf8').catch(() => 'no lease'), 'no lease');
});

live('a network of the engine: address, hosts and ports', async (t) => {
	const shim = await shimWith(t, { network: 'engine' });
	t.is(await networkReady(shim), '');
	const hostPort = 32000 + (ID % 700);
	const p = await run(shim, 'e', { portMappings: [{ protocol: Protocol.TCP, containerPort: 80, hostPort, hostIp: '127.0.0.1' }] });
	t.regex(p.ip, /^\d+\.\d+\.\d+\.\d+$/);
	t.regex(await p.say('busybox cat /etc/hosts'), new RegExp(`^${p.ip.replaceAll('.', '\\.')}\te$`, 'm'));
	t.is(await ask('127.0.0.1', hostPort), 'answer');
	await shim.restart();
	t.is((await shim.runtime.podSandboxStatus({ podSandboxId: p.id, verbose: false })).status?.network?.ip, p.ip);
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
});

live('dual stack: both addresses in status and hosts; the range of the control plane is taken and kept', async (t) => {
	const shim = await shimWith(t, { dualStack: true });
	const p = await run(shim, 'd');
	const { status } = await shim.runtime.podSandboxStatus({ podSandboxId: p.id, verbose: false });
	const second = status?.network?.additionalIps[0]?.ip ?? '';
	t.regex(second, /^fd[\da-f]{2}:/);
	t.true((await p.say('busybox cat /etc/hosts')).includes(`${second}\td`));
	await shim.runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: `${SUBNET}.0/24` } } });
	const q = await run(shim, 'q');
	t.true(q.ip.startsWith(`${SUBNET}.`), q.ip);
	t.is(await q.say(`until busybox nc -w 3 ${p.ip} 80 </dev/null 2>/dev/null; do busybox usleep 20000; done`), 'answer');
	await shim.restart();
	t.is(
		(JSON.parse((await shim.runtime.status({ verbose: true })).info['config'] ?? '{}') as { podSubnet?: string }).podSubnet,
		`${SUBNET}.0/24`,
	);
	await Promise.all([p, q].map(({ id: podSandboxId }) => shim.runtime.removePodSandbox({ podSandboxId })));
});

live('IPv6 alone: a pod is reached by its address, and by port-forward where it listens on no IPv4 address', async (t) => {
	const shim = await shimWith(t, { podSubnet: `fd${(ID % 256).toString(16).padStart(2, '0')}:${(ID >> 8).toString(16)}::/64` });
	const sysctls = { 'net.ipv6.bindv6only': '1' };
	const p = await run(shim, 's', {
		linux: { cgroupParent: '', sysctls, overhead: undefined, resources: undefined, securityContext: undefined },
	});
	t.true(p.ip.startsWith('fd'), p.ip);
	t.is(await ask(p.ip, 80), 'answer');
	t.is((await p.say('busybox cat /proc/net/tcp')).split('\n').length, 1, 'its head alone');
	const { url } = await shim.runtime.portForward({ podSandboxId: p.id, port: [80] });
	const forward = await connectPortForward({ url: new URL(url) }, 'websocket', new AbortController().signal);
	const asked = async (): Promise<string> => text((await forward.open(80)).on('error', () => {})); // it may break off once the answer is there
	t.is((await eventually('an answer', () => asked().catch(() => undefined))).trim(), 'answer');
	forward.close();
	await shim.runtime.removePodSandbox({ podSandboxId: p.id });
});
