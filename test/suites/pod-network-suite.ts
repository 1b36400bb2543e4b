/** What every pod network does, whoever connects the pods: the built-in bridge with either packet filter, and CNI plug-ins. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { PodNetworks } from '../../cri/network/networks.ts';
import type { KnownPod } from '../../cri/network/pod-network.ts';
import { PodSandboxConfig, type PortMapping, Protocol } from '../../cri/proto.ts';
import { eventually } from '../tools/eventually.ts';
import { HERE, OUTSIDE, type Place } from '../tools/netns/place.ts';

export interface Subject {
	/** The network over what earlier ones left, not started. */
	open(): Promise<PodNetworks>;
	/** What pods left behind: interfaces, rules, addresses, files. Empty once every pod is gone. */
	traces(): Promise<readonly string[]>;
}

export interface Scene {
	readonly place: Place;
	readonly subject: Subject;
	readonly network: PodNetworks;
	readonly pods: readonly KnownPod[];
	/** A process in a namespace of its own, connected. */
	pod(more?: Partial<PodSandboxConfig>): Promise<KnownPod>;
	/** Takes it off the network and ends it. */
	drop(pod: KnownPod): Promise<void>;
	/** Another process over the same state, as after a crash, which knows these pods. */
	restart(known?: readonly KnownPod[]): Promise<void>;
	/** A process beside this one that connects and disconnects pods, killed at once when it has done so many steps. */
	crash(steps: number): Promise<void>;
}

export interface Case {
	readonly name: string;
	run(scene: Scene): Promise<void>;
}

export function port(hostPort: number, containerPort: number, protocol: Protocol = Protocol.TCP, hostIp = ''): PortMapping {
	return { protocol, containerPort, hostPort, hostIp };
}

export function addressOf(pod: KnownPod, family: 4 | 6): string {
	const ip = pod.address.ips.find((i) => i.includes(':') === (family === 6));
	assert(ip !== undefined, `no IPv${family} address in ${pod.address.ips.join(', ')}`);
	return ip;
}

const BOTH = [4, 6] as const;
const pidOf = (pod: KnownPod): number => pod.pid as number;

export const POD_NETWORK_CASES: readonly Case[] = [
	{
		name: 'pods, host and outside reach each other in both families; outside sees the host only',
		run: async ({ place, pod, network }) => {
			assert.equal(await network.problem(), undefined);
			const [a, b] = [await pod(), await pod()];
			assert.equal(new Set([...a.address.ips, ...b.address.ips]).size, 4);
			await Promise.all([place.serve(pidOf(b), 80), place.serve(undefined, 7000), place.serve(place.outside, 8000)]);
			for (const family of BOTH) {
				const [own, other] = [addressOf(a, family), addressOf(b, family)];
				const key = family === 4 ? 'v4' : 'v6';
				assert.equal(await place.ask(pidOf(a), 'tcp', other, 80), own, 'pod to pod');
				assert.equal(await place.ask(pidOf(a), 'udp', other, 80), own, 'pod to pod, UDP');
				assert.notEqual(await place.ask(undefined, 'tcp', other, 80), '', 'host to pod');
				assert.equal(await place.ask(pidOf(a), 'tcp', HERE[key], 7000), own, 'pod to host');
				assert.equal(await place.ask(pidOf(a), 'tcp', OUTSIDE[key], 8000), HERE[key], 'pod to outside, masqueraded');
			}
			assert.match(await place.run(pidOf(a), 'ip', '-o', 'address', 'show', 'dev', 'lo'), /127\.0\.0\.1/);
		},
	},
	{
		name: 'host ports lead to the pod from outside, from the host, from other pods and from itself',
		run: async ({ place, pod, drop, subject }) => {
			const ports = [port(8080, 80), port(8081, 80, Protocol.UDP), port(8082, 80, Protocol.TCP, HERE.v4), port(8083, 80, Protocol.SCTP)];
			const [a, b] = [await pod({ portMappings: ports }), await pod()];
			await place.serve(pidOf(a), 80);
			for (const key of ['v4', 'v6'] as const) {
				for (const from of [place.outside, undefined, pidOf(b), pidOf(a)])
					assert.notEqual(await place.ask(from, 'tcp', HERE[key], 8080), '', `${key} from ${from ?? 'host'}`);
				assert.notEqual(await place.ask(place.outside, 'udp', HERE[key], 8081), '', `${key}, UDP`);
			}
			assert.notEqual(await place.ask(undefined, 'tcp', '127.0.0.1', 8080), '', 'localhost');
			assert.notEqual(await place.ask(place.outside, 'tcp', HERE.v4, 8082), '', 'one address');
			assert.equal(await place.tryAsk(place.outside, 'tcp', HERE.v6, 8082), '', 'not the other');
			await drop(a);
			assert.equal(await place.tryAsk(place.outside, 'tcp', HERE.v4, 8080), '');
			await drop(b);
			assert.deepEqual(await subject.traces(), []);
		},
	},
	{
		name: 'UDP conversations that go on from one port go to who has the host ports now',
		run: async ({ place, pod, drop }) => {
			const [hostPorts, from] = [[8090, 8091], 5555];
			const talk = async (): Promise<void> => {
				for (const hostPort of hostPorts)
					for (const ip of [HERE.v4, HERE.v6]) assert.notEqual(await place.ask(place.outside, 'udp', ip, hostPort, from), '');
			};
			// Before there is a pod the host answers, or nobody does.
			for (const hostPort of hostPorts) await place.serve(undefined, hostPort);
			await talk();
			const portMappings = hostPorts.map((hostPort) => port(hostPort, 80, Protocol.UDP));
			const a = await pod({ portMappings });
			for (const hostPort of hostPorts)
				assert.equal(await place.tryAsk(place.outside, 'udp', HERE.v4, hostPort, from), '', 'nobody in the pod answers yet');
			await place.serve(pidOf(a), 80);
			await talk();
			await drop(a);
			const b = await pod({ portMappings });
			assert.notDeepEqual(b.address.ips, a.address.ips);
			await place.serve(pidOf(b), 80);
			await talk();
		},
	},
	{
		name: 'a port that another pod has is refused by name; once that is gone it is free',
		run: async ({ pod, drop }) => {
			const a = await pod({ portMappings: [port(9000, 80)] });
			await assert.rejects(pod({ portMappings: [port(9000, 81)] }), {
				code: 'AlreadyExists',
				message: /host port 9000\/TCP for pod .* has it/,
			});
			await pod({ portMappings: [port(9000, 81, Protocol.UDP)] });
			await drop(a);
			await pod({ portMappings: [port(9000, 81)] });
		},
	},
	{
		name: 'releasing twice is success, and never hits the next pod',
		run: async ({ network, place, pod, drop }) => {
			const a = await pod({ portMappings: [port(9100, 80)] });
			await drop(a);
			const b = await pod({ portMappings: [port(9100, 80)] });
			await network.release(a, async () => {});
			await place.serve(pidOf(b), 80);
			assert.notEqual(await place.ask(place.outside, 'tcp', HERE.v4, 9100), '');
			await assert.rejects(pod({ portMappings: [port(9100, 80)] }), { code: 'AlreadyExists' }, 'its claim stands too');
		},
	},
	{
		name: 'after a restart pods that run keep working, and give back what they have',
		run: async ({ place, pod, drop, restart, subject }) => {
			const a = await pod({ portMappings: [port(9200, 80)] });
			await place.serve(pidOf(a), 80);
			await restart([a]);
			const b = await pod();
			assert.notDeepEqual(a.address.ips, b.address.ips);
			assert.equal(await place.ask(pidOf(b), 'tcp', addressOf(a, 4), 80), addressOf(b, 4));
			assert.notEqual(await place.ask(place.outside, 'tcp', HERE.v6, 9200), '');
			await assert.rejects(pod({ portMappings: [port(9200, 80)] }), { code: 'AlreadyExists' });
			await drop(a);
			await drop(b);
			assert.deepEqual(await subject.traces(), []);
		},
	},
	{
		name: 'what pods left that nobody knows is collected at the next start',
		run: async ({ place, pod, restart, subject }) => {
			const [a, b] = [await pod({ portMappings: [port(9300, 80)] }), await pod()];
			assert.notDeepEqual(await subject.traces(), []);
			await place.end(pidOf(a));
			await restart([]);
			await place.end(pidOf(b));
			assert.deepEqual(await subject.traces(), []);
		},
	},
	{
		name: 'a pod whose namespace went away is an error, and leaves nothing',
		run: async ({ network, place, subject }) => {
			const config = { ...PodSandboxConfig.decode(Buffer.alloc(0)), metadata: { name: 'gone', namespace: 'ns', uid: 'u', attempt: 0 } };
			const made = { name: 'gone', id: 'gone', config };
			const address = await network.reserve(made);
			const pid = await place.process();
			await place.end(pid);
			await assert.rejects(network.attach(made, { pid, engineIps: [] }, address));
			await network.release({ ...made, address }, async () => {});
			assert.deepEqual(await subject.traces(), []);
		},
	},
	{
		name: 'many pods at once',
		run: async ({ place, pod, drop, subject }) => {
			const pods = await Promise.all(Array.from({ length: 8 }, (_, i) => pod({ portMappings: [port(9400 + i, 80)] })));
			assert.equal(new Set(pods.flatMap((p) => p.address.ips)).size, 16);
			await place.serve(pidOf(pods[7] as KnownPod), 80);
			assert.notEqual(await place.ask(place.outside, 'tcp', HERE.v4, 9407), '');
			await Promise.all(pods.map(drop));
			assert.deepEqual(await subject.traces(), []);
		},
	},
	{
		name: 'a process killed at any step leaves nothing that the next one does not collect',
		run: async ({ crash, restart, subject, place, pod }) => {
			for (const steps of [0, 1, 2, 5, 8]) {
				await crash(steps);
				await restart([]);
				// What a plug-in had started may end a moment later.
				await eventually(`nothing left after ${steps} steps`, async () => (await subject.traces()).length === 0);
			}
			const [a, b] = [await pod(), await pod({ portMappings: [port(9450, 80)] })];
			await place.serve(pidOf(b), 80);
			assert.equal(await place.ask(pidOf(a), 'tcp', addressOf(b, 4), 80), addressOf(a, 4));
		},
	},
	{
		name: 'this host forwards',
		run: async () => {
			assert.equal((await readFile('/proc/sys/net/ipv4/ip_forward', 'utf8')).trim(), '1');
			assert.equal((await readFile('/proc/sys/net/ipv6/conf/all/forwarding', 'utf8')).trim(), '1');
		},
	},
];
