/** [sig-node] [DRA] CRUD of resource.k8s.io/v1. */
import { supportsOperations } from '../../operations.ts';
import { conformance } from '../../suite.ts';

const V1 = { group: 'resource.k8s.io', version: 'v1' };
const devices = { requests: [{ name: 'one', exactly: { deviceClassName: 'none.kubeling.test' } }] };

conformance('[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 DeviceClass [Conformance]', (world) =>
	supportsOperations(world, {
		...V1,
		plural: 'deviceclasses',
		kind: 'DeviceClass',
		fields: { spec: { selectors: [{ cel: { expression: 'device.driver == "a"' } }] } },
		change: { spec: { selectors: [{ cel: { expression: 'device.driver == "b"' } }] } },
	}),
);

conformance('[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceClaim [Conformance]', (world) =>
	supportsOperations(world, {
		...V1,
		plural: 'resourceclaims',
		kind: 'ResourceClaim',
		namespaced: true,
		fields: { spec: { devices } },
		status: { allocation: { devices: { results: [{ request: 'one', driver: 'a.kubeling.test', pool: 'pool', device: 'd-0' }] } } },
	}),
);

conformance('[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceClaimTemplate [Conformance]', (world) =>
	supportsOperations(world, {
		...V1,
		plural: 'resourceclaimtemplates',
		kind: 'ResourceClaimTemplate',
		namespaced: true,
		fields: { spec: { spec: { devices } } },
	}),
);

conformance('[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceSlice [Conformance]', (world) =>
	supportsOperations(world, {
		...V1,
		plural: 'resourceslices',
		kind: 'ResourceSlice',
		fields: {
			spec: {
				driver: 'a.kubeling.test',
				pool: { name: 'pool', generation: 1, resourceSliceCount: 1 },
				allNodes: true,
				devices: [{ name: 'd-0' }],
			},
		},
		change: { spec: { devices: [{ name: 'd-0' }, { name: 'd-1' }] } },
	}),
);
