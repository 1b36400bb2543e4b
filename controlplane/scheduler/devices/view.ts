/** What the plugin for dynamic resources knows of devices at the moment of a decision. */
import type { AllocationResult, DeviceClass, ResourceResourceClaim, ResourceSlice } from '../../../api/gen/types.ts';
import type { Key, KubeObject } from '../../../api/resource.ts';
import type { NodeDevice } from './pools.ts';

export interface DevicesView {
	/** All of it is known; in clusters of before 1.34 that is never so. */
	synced(): boolean;
	claim(key: Key): (ResourceResourceClaim & KubeObject) | undefined;
	/** What claims have, or are being given. */
	allocations(): readonly AllocationResult[];
	deviceClass(name: string): DeviceClass | undefined;
	slices(): readonly ResourceSlice[];
	/** Undefined while expressions cannot be evaluated yet. */
	matches(): ((expression: string, device: NodeDevice) => boolean) | undefined;
}
