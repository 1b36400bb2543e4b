import test from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { runtimeSuite } from '../../test/suites/runtime-suite.ts';
import { oomScoreAdj } from './cri-resources.ts';
import { SimulatedRuntime } from './simulated.ts';

runtimeSuite(test, 'simulated', async () => ({
	runtime: new SimulatedRuntime({ clock: new VirtualClock(), images: ['i'] }),
	pod: { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
	imageId: 'i',
	logDirectory: '/nowhere',
	dispose: async () => {},
}));

for (const [name, qosClass, request, want] of [
	['Guaranteed', 'Guaranteed', '1Gi', -997],
	['BestEffort', 'BestEffort', '0', 1000],
	['Burstable in proportion to its request', 'Burstable', '1Gi', 750],
	['Burstable that asks for nothing is still better than BestEffort', 'Burstable', '0', 999],
	['Burstable that asks for everything is still worse than Guaranteed', 'Burstable', '4Gi', 3],
] as const)
	test(`oomScoreAdj(): ${name}`, (t) => {
		const spec = { name: 'c', resources: { requests: { memory: request } } };
		t.is(
			oomScoreAdj({ metadata: {}, spec: { containers: [spec] }, status: { qosClass } }, { kind: 'app', spec, target: '' }, 4 * 2 ** 30),
			want,
		);
	});
