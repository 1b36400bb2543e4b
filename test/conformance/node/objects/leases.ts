/** [sig-node] Lease. */
import { CoordinationV1Api } from '@kubernetes/client-node';
import { supportsOperations } from '../../operations.ts';
import { nodeOf } from '../../pods.ts';
import { conformance } from '../../suite.ts';

conformance('[sig-node] Lease lease API should be available [Conformance]', async (world) => {
	const { t, api } = world;
	await supportsOperations(world, {
		group: 'coordination.k8s.io',
		version: 'v1',
		plural: 'leases',
		kind: 'Lease',
		namespaced: true,
		fields: {
			spec: {
				holderIdentity: 'holder',
				leaseDurationSeconds: 30,
				acquireTime: '2026-01-01T00:00:00.000001Z',
				renewTime: '2026-01-01T00:00:01.000002Z',
				leaseTransitions: 0,
			},
		},
		change: { spec: { holderIdentity: 'holder2', leaseTransitions: 1, renewTime: '2026-01-01T00:00:02.000003Z' } },
	});
	// The node itself holds one.
	const name = (await nodeOf(world)).metadata?.name ?? '';
	const lease = await api(CoordinationV1Api).readNamespacedLease({ namespace: 'kube-node-lease', name });
	t.is(lease.spec?.holderIdentity, name);
});
