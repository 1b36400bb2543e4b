/** Probes of whole pods on virtual time: thresholds, delays, who waits for whom, restarts. */
import test from 'ava';
import { c, condition, playing, statusOf } from '../../test/fakes/playing.ts';

const probe = { exec: { command: ['probe'] }, periodSeconds: 1 };
for (const [name, container, answers, seconds, want] of [
	['a readiness probe makes ready', { readinessProbe: probe }, () => true, 2, { starts: ['0 c 0'], ready: true }],
	['and unready after three failures', { readinessProbe: probe }, (s: number) => s < 10, 12, { starts: ['0 c 0'], ready: false }],
	['not before', { readinessProbe: probe }, (s: number) => s < 10, 11, { starts: ['0 c 0'], ready: true }],
	['initialDelaySeconds holds it back', { readinessProbe: { ...probe, initialDelaySeconds: 5 } }, () => true, 4, { ready: false }],
	['and then it is made', { readinessProbe: { ...probe, initialDelaySeconds: 5 } }, () => true, 5, { ready: true }],
	['successThreshold counts', { readinessProbe: { ...probe, successThreshold: 3 } }, () => true, 1, { ready: false }],
	['successThreshold is reached', { readinessProbe: { ...probe, successThreshold: 3 } }, () => true, 2, { ready: true }],
	['liveness failures restart', { livenessProbe: probe }, (s: number) => s < 10, 12, { starts: ['0 c 0', '12 c 1'], restarts: 1 }],
	[
		'a slow probe is a failed one',
		{ livenessProbe: { ...probe, timeoutSeconds: 2, failureThreshold: 1 } },
		() => 5000,
		3,
		{ starts: ['0 c 0', '2 c 1'], restarts: 1, events: /Liveness probe failed: command timed out/ },
	],
	[
		'liveness waits for the startup probe',
		{ livenessProbe: { ...probe, failureThreshold: 1 }, startupProbe: { ...probe, failureThreshold: 30 } },
		(s: number) => s >= 10,
		15,
		{ starts: ['0 c 0'], ready: true },
	],
	[
		'a container that has not started is not ready',
		{ startupProbe: { ...probe, failureThreshold: 30 } },
		(s: number) => s >= 10,
		9,
		{ starts: ['0 c 0'], ready: false, started: false },
	],
	[
		'a startup probe that never passes restarts',
		{ startupProbe: { ...probe, failureThreshold: 5 } },
		() => false,
		5,
		{ starts: ['0 c 0', '4 c 1'], events: /Container c failed startup probe, will be restarted/ },
	],
	[
		'a restart by a probe has its own grace',
		{ livenessProbe: { ...probe, failureThreshold: 1, terminationGracePeriodSeconds: 5 } },
		(s: number) => s < 10,
		16,
		{ starts: ['0 c 0', '15 c 1'] },
	],
	[
		'one that cannot be tried is no failure',
		{ livenessProbe: { tcpSocket: { port: 'web' }, periodSeconds: 1, failureThreshold: 1 } },
		() => true,
		5,
		{ starts: ['0 c 0'], events: /Liveness probe errored and resulted in unknown state: strconv.Atoi: parsing "web": invalid syntax/ },
	],
	[
		'the pod runs its course when it never restarts',
		{ livenessProbe: probe, restartPolicy: 'Never' },
		() => false,
		40,
		{ phase: 'Succeeded' },
	],
] as const)
	test(`probes: ${name}`, async (t) => {
		const from = Date.UTC(2026, 0, 1);
		const { node, starts } = await playing({
			script: () => ({ stopMs: 'livenessProbe' in container && 'terminationGracePeriodSeconds' in container.livenessProbe ? 60_000 : 0 }),
			exec: () => {
				const found = (answers as (s: number) => boolean | number)((node.clock.now() - from) / 1000);
				return typeof found === 'number' ? { runMs: found } : { exitCode: found ? 0 : 1, output: 'bad' };
			},
		});
		await using _ = node;
		const { restartPolicy, ...rest } = { restartPolicy: 'Always', ...container };
		await node.create('p', { restartPolicy, containers: [c(rest)] });
		await node.advance(seconds * 1000);
		const status = statusOf(node.pod('p'));
		const { events, ...values } = { events: /./, ...want } as { readonly events: RegExp };
		const got = {
			starts,
			ready: condition(node.pod('p'), 'Ready')?.status === 'True',
			restarts: status?.restartCount,
			started: status?.started,
			phase: node.pod('p')?.status?.phase,
		};
		t.like(got, values as never);
		t.regex(node.events('p').join('\n'), events);
	});

test('a pod that a failed liveness probe ended with policy Never stays ended', async (t) => {
	const { node, starts } = await playing({ exec: () => ({ exitCode: 1 }) });
	await using _ = node;
	await node.create('p', { restartPolicy: 'Never', containers: [c({ livenessProbe: probe })] });
	await node.advance(120_000);
	t.deepEqual(starts, ['0 c 0']);
	t.is(statusOf(node.pod('p'))?.state?.terminated?.exitCode, 0);
});
