/** What is reported of a pod as a whole, and the patch that says it. */
import test from 'ava';
import { container, facts, pod, seen, status } from '../../test/fakes/pods.ts';
import { withinLimit } from './message-limit.ts';
import { highestLog } from './starts-in-logs.ts';
import { hostKindFault } from './addresses.ts';
import { statusOf } from './status.ts';
import { statusPatch } from './status-patch.ts';

test('statusOf(): a running pod has its addresses, readiness and times', (t) => {
	const s = statusOf(pod(), seen(container('c', 'running')), {}, facts);
	t.like(s, { phase: 'Running', podIP: '10.0.0.1', hostIP: '192.0.2.1', startTime: '1970-01-01T00:00:05Z' });
	t.like(s.containerStatuses?.[0], {
		containerID: 'docker://c-id',
		ready: true,
		started: true,
		state: { running: { startedAt: '1970-01-01T00:00:00Z' } },
	});
	t.deepEqual(
		s.conditions?.map((c) => c.status),
		['True', 'True', 'True', 'True', 'True'],
	);
});

for (const [name, spec, nodeIps, sandboxIps, before, podIps, hostIps] of [
	["of the node's kind first", {}, ['192.0.2.1'], ['fd00::1', '10.0.0.1'], [], '10.0.0.1 fd00::1', '192.0.2.1'],
	['of one node of both kinds', {}, ['fd01::1', '192.0.2.1'], ['10.0.0.1', 'fd00::1'], [], 'fd00::1 10.0.0.1', 'fd01::1 192.0.2.1'],
	['one of each kind', {}, ['192.0.2.1', '192.0.2.2'], ['10.0.0.1', '10.0.0.2'], [], '10.0.0.1', '192.0.2.1'],
	['of another kind than the node', {}, ['192.0.2.1'], ['fd00::1'], [], 'fd00::1', '192.0.2.1'],
	['as they were, without a sandbox', {}, ['192.0.2.1'], [], ['10.0.0.9'], '10.0.0.9', '192.0.2.1'],
	["the node's", { hostNetwork: true }, ['192.0.2.1', 'fd01::1'], [], [], '192.0.2.1 fd01::1', '192.0.2.1 fd01::1'],
	[
		"the node's, the first as it was",
		{ hostNetwork: true },
		['192.0.2.1', 'fd01::1'],
		[],
		['192.0.2.9'],
		'192.0.2.9 fd01::1',
		'192.0.2.1 fd01::1',
	],
] as const)
	test(`statusOf(): addresses, ${name}`, (t) => {
		const sandbox = { id: 's', attempt: 0, ready: true, createdAt: 0, ips: sandboxIps, hostNetwork: false };
		const told = before.length === 0 ? {} : { podIPs: before.map((ip) => ({ ip })) };
		const s = statusOf(pod(spec), { ...seen(), sandboxes: [sandbox] }, told, { ...facts, nodeIps });
		const text = (ips: readonly { readonly ip?: string }[] = []): string => ips.map(({ ip }) => ip).join(' ');
		t.deepEqual([text(s.podIPs), s.podIP, text(s.hostIPs), s.hostIP], [podIps, podIps.split(' ')[0], hostIps, hostIps.split(' ')[0]]);
	});

for (const [told, own, want] of [
	['192.0.2.1', '192.0.2.2', undefined],
	[undefined, 'fd00::1', undefined],
	['192.0.2.1', undefined, undefined],
	[
		'192.0.2.1',
		'fd00::1',
		'Kubelet detected an IPv4 node IP (192.0.2.1), but the cloud provider selected an IPv6 node IP (fd00::1); pass an explicit `--node-ip` to kubelet to fix this.',
	],
] as const)
	test(`hostKindFault(${told}, ${own})`, (t) => t.is(hostKindFault(told, own), want));

test('statusOf(): a crashed container waits, and its end moves to lastState', (t) => {
	const waiting = new Map([['c', { reason: 'CrashLoopBackOff', message: 'back-off' }]]);
	const [c] = statusOf(pod(), seen(container('c', 'exited', { exitCode: 2 })), {}, { ...facts, waiting }).containerStatuses ?? [];
	t.like(c, { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 2, reason: 'Error' } } });
});

test('statusOf(): a terminal phase stays', (t) => {
	t.is(statusOf(pod(), seen(container('c', 'running')), { phase: 'Failed', reason: 'Evicted' }, facts).reason, 'Evicted');
});

test('statusPatch(): says only what differs, and takes back what is no longer so', (t) => {
	const now = { phase: 'Running', message: 'old', podIPs: [{ ip: '1' }], conditions: [{ type: 'Ready', status: 'False', reason: 'x' }] };
	const patch = statusPatch(pod(), now, { phase: 'Running', podIPs: [{ ip: '2' }], conditions: [{ type: 'Ready', status: 'True' }] });
	t.deepEqual(patch, {
		metadata: { uid: 'u' },
		status: {
			message: null,
			podIPs: [{ $patch: 'replace' }, { ip: '2' }],
			conditions: [{ type: 'Ready', status: 'True', reason: null, message: null }],
		},
	});
	t.is(statusPatch(pod(), now, now), undefined);
});

for (const [name, containers, bytes, want] of [
	['a short message stays', 1, 4096, 4096],
	['twelve KiB are shared by all containers', 4, 4096, 3072],
	['and cut between characters', 5, 4096, 2457],
] as const)
	test(`withinLimit(): ${name}`, (t) => {
		const many = pod({ containers: Array.from({ length: containers }, (_, i) => ({ name: `c${i}` })) });
		const message = 'x'.repeat(bytes - 2) + 'é';
		const [cut] = withinLimit(many, [status('c0', { terminated: { exitCode: 1, message } }, { terminated: { exitCode: 1, message } })]);
		t.is(Buffer.byteLength(cut?.state?.terminated?.message ?? ''), want);
		t.is(Buffer.byteLength(cut?.lastState?.terminated?.message ?? ''), want);
	});

for (const [names, want] of [
	[[], undefined],
	[['0.log', '10.log', '2.log.20260102-150405.gz', 'x.log', '11.txt'], 10],
	[['3.log.20260102-150405'], 3],
] as const)
	test(`highestLog(): ${names.join(' ')}`, (t) => t.is(highestLog(names), want));
