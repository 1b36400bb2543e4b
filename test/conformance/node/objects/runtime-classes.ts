/** [sig-node] RuntimeClass as an object. */
import { supportsOperations } from '../../operations.ts';
import { conformance } from '../../suite.ts';

conformance('[sig-node] RuntimeClass should support RuntimeClasses API operations [Conformance]', (world) =>
	supportsOperations(world, {
		group: 'node.k8s.io',
		version: 'v1',
		plural: 'runtimeclasses',
		kind: 'RuntimeClass',
		fields: { handler: 'test-handler' },
		change: { overhead: { podFixed: { cpu: '10m' } } },
	}),
);
