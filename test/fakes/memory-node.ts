/** A CSI driver's node side in memory, and the objects of a volume of its, for tests on virtual time. */
import { mkdir, rmdir } from 'node:fs/promises';
import type { CSIDriver, PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types.ts';
import { NodeServiceCapability_RPC_Type as Type } from '../../wire/gen/csi.ts';
import type { RpcError } from '../../wire/grpc/status.ts';
import type { CsiDriver, NodeClient } from '../../agent/csi/drivers.ts';

export const NAME = 'd.csi.test';
type Call = readonly [string, Record<string, unknown>];

export class MemoryNode {
	readonly calls: Call[] = [];
	readonly faults = new Map<string, RpcError>();
	readonly driver: CsiDriver;
	maxVolumes = 0;

	constructor(capabilities: readonly (keyof typeof Type)[]) {
		const answer =
			(method: string, act: (request: Record<string, string>) => Promise<unknown> = async () => ({})) =>
			async (request: Record<string, string>): Promise<unknown> => {
				this.calls.push([method, request]);
				const fault = this.faults.get(method);
				if (fault !== undefined) throw fault;
				return act(request);
			};
		const node = {
			close() {},
			nodeStageVolume: answer('stage'),
			nodeUnstageVolume: answer('unstage'),
			nodePublishVolume: answer('publish', async (r) => void (await mkdir(r['targetPath'] ?? '', { recursive: true }))),
			nodeUnpublishVolume: answer('unpublish', async (r) => rmdir(r['targetPath'] ?? '').catch(() => {})),
			nodeGetInfo: answer('info', async () => ({ nodeId: 'node', maxVolumesPerNode: BigInt(this.maxVolumes) })),
			nodeExpandVolume: answer('expand', async () => ({ capacityBytes: 0n })),
		};
		this.driver = {
			name: NAME,
			endpoint: '',
			node: node as unknown as NodeClient,
			capabilities: new Set(capabilities.map((x) => Type[x])),
		};
	}

	get methods(): string {
		return this.calls.map(([method]) => method).join(' ');
	}
}

export const driverObject = (spec: CSIDriver['spec'] = {}): CSIDriver => ({ metadata: { name: NAME }, spec });
export const volumeOf = (more: Partial<PersistentVolume['spec']> = {}): PersistentVolume => ({
	metadata: { name: 'pv' },
	spec: {
		capacity: { storage: '1Gi' },
		accessModes: ['ReadWriteOnce'],
		claimRef: { name: 'claim', namespace: 'n', uid: 'claim-uid' },
		csi: {
			driver: NAME,
			volumeHandle: 'handle',
			fsType: 'ext4',
			volumeAttributes: { a: 'b' },
			nodeStageSecretRef: { name: 's', namespace: 'n' },
		},
		...more,
	},
});
export const claimOf = (
	status: PersistentVolumeClaim['status'] = { phase: 'Bound', capacity: { storage: '1Gi' } },
): PersistentVolumeClaim => ({
	metadata: { name: 'claim', namespace: 'n', uid: 'claim-uid' },
	spec: { volumeName: 'pv', accessModes: ['ReadWriteOnce'] },
	status,
});
