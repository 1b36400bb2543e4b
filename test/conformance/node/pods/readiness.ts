/** [sig-node] Probing container with readiness probe. */
import { conformance } from '../../suite.ts';
import { create, isReady, nameOf, pause, read, restarts, STAYS, until } from '../pod.ts';

conformance(
	'[sig-node] Probing container with readiness probe should not be ready before initial delay and never restart [NodeConformance] [Conformance]',
	async (world) => {
		const { t } = world;
		const readinessProbe = { exec: { command: ['true'] }, initialDelaySeconds: 5, periodSeconds: 1 };
		const name = nameOf(await create(world, { script: STAYS, container: { readinessProbe }, spec: { restartPolicy: 'Always' } }));
		const pod = await until(world, name, 'is ready', isReady);
		const readyAt = pod.status?.conditions?.find((c) => c.type === 'Ready')?.lastTransitionTime;
		const startedAt = pod.status?.containerStatuses?.[0]?.state?.running?.startedAt;
		// Both are whole seconds, cut.
		t.true(Number(readyAt) - Number(startedAt) >= 4_000, `started at ${startedAt?.toISOString()}, ready at ${readyAt?.toISOString()}`);
		t.is(restarts(await read(world, name)), 0);
	},
);

conformance(
	'[sig-node] Probing container with readiness probe that fails should never be ready and never restart [NodeConformance] [Conformance]',
	async (world) => {
		const readinessProbe = { exec: { command: ['false'] }, periodSeconds: 1 };
		const name = nameOf(await create(world, { script: STAYS, container: { readinessProbe }, spec: { restartPolicy: 'Always' } }));
		await until(world, name, 'runs', ({ status }) => status?.phase === 'Running');
		for (let second = 0; second < 6; second++) {
			await pause(1000);
			const pod = await read(world, name);
			world.t.false(isReady(pod));
			world.t.is(restarts(pod), 0);
		}
	},
);
