/** [sig-node] Container Runtime: how a container that ends is told of, and what it said at its end. */
import type { V1Container } from '@kubernetes/client-node';
import { conformance, type World } from '../../suite.ts';
import { containerOf, create, ended, nameOf, STAYS, until, type Wanted } from '../pod.ts';

/** The termination message of a pod's container once it is over. */
async function message(world: World, script: string, container: Partial<V1Container>): Promise<[phase?: string, message?: string]> {
	const { status } = await ended(world, { script, container });
	return [status?.phase, status?.containerStatuses?.[0]?.state?.terminated?.message ?? ''] as [string, string];
}

const ON_ERROR = { terminationMessagePolicy: 'FallbackToLogsOnError' };

conformance(
	'[sig-node] Container Runtime blackbox test on terminated container should report termination message as empty when pod succeeds and TerminationMessagePolicy FallbackToLogsOnError is set [NodeConformance] [Conformance]',
	async (world) => {
		world.t.deepEqual(await message(world, 'echo DONE', ON_ERROR), ['Succeeded', '']);
	},
);

conformance(
	'[sig-node] Container Runtime blackbox test on terminated container should report termination message from file when pod succeeds and TerminationMessagePolicy FallbackToLogsOnError is set [NodeConformance] [Conformance]',
	async (world) => {
		const script = 'echo DONE; printf OK > /dev/termination-log';
		world.t.deepEqual(await message(world, script, ON_ERROR), ['Succeeded', 'OK']);
	},
);

conformance(
	'[sig-node] Container Runtime blackbox test on terminated container should report termination message from log output if TerminationMessagePolicy FallbackToLogsOnError is set [NodeConformance] [Conformance]',
	async (world) => {
		world.t.deepEqual(await message(world, 'printf DONE; exit 1', ON_ERROR), ['Failed', 'DONE']);
	},
);

conformance(
	'[sig-node] Container Runtime blackbox test on terminated container should report termination message if TerminationMessagePath is set as non-root user and at a non-default path [NodeConformance] [Conformance]',
	async (world) => {
		const container = { terminationMessagePath: '/dev/termination-custom-log', securityContext: { runAsUser: 1000 } };
		world.t.deepEqual(await message(world, 'printf DONE > /dev/termination-custom-log', container), ['Succeeded', 'DONE']);
	},
);

conformance(
	'[sig-node] Container Runtime blackbox test when starting a container that exits should run with the expected status [NodeConformance] [Conformance]',
	async (world) => {
		const { t } = world;
		// The first time it ends badly, the second time it stays, or ends well: the volume remembers.
		const once = (then: string): Wanted => ({
			spec: {
				volumes: [{ name: 'v', emptyDir: {} }],
				containers: [
					containerOf(world, `test -e /v/ran && { ${then}; }; touch /v/ran; exit 1`, { volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
				],
			},
		});
		const policy = (wanted: Wanted, restartPolicy: string): Wanted => ({ ...wanted, spec: { ...wanted.spec, restartPolicy } });
		const cases: readonly [string, Wanted, string, number][] = [
			['Always', once(STAYS), 'Running', 1],
			['OnFailure', once('exit 0'), 'Succeeded', 1],
			['Never', once('exit 0'), 'Failed', 0],
		];
		await Promise.all(
			cases.map(async ([restartPolicy, wanted, phase, count]) => {
				const name = nameOf(await create(world, policy(wanted, restartPolicy)));
				const { status } = await until(world, name, `is ${phase} after ${count} restarts`, ({ status: s }) => {
					const c = s?.containerStatuses?.[0];
					return s?.phase === phase && c?.restartCount === count && (phase === 'Running' ? c.state?.running : c.state?.terminated);
				});
				const container = status?.containerStatuses?.[0];
				t.is(container?.ready, phase === 'Running');
				if (phase !== 'Running') t.is(container?.state?.terminated?.exitCode, phase === 'Succeeded' ? 0 : 1);
				if (count > 0) t.is(container?.lastState?.terminated?.exitCode, 1);
			}),
		);
	},
);
