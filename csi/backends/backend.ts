/** A way to keep volumes in the pool. Folders are given; what is in them is the back end's. Every call can be repeated. */
import type { MountPoint } from '../../host/freeze.ts';
import type { Capability } from '../capability.ts';
import type { DataFacts } from '../records/records.ts';
import type { SizeLimits } from '../size.ts';
import type { BackendKind } from './kinds.ts';

export interface StageRequest {
	/** The volume's folder in the pool. */
	readonly dir: string;
	readonly facts: DataFacts;
	readonly capability: Capability;
	/** Where to; real, and a folder. */
	readonly path: string;
}

export interface Backend {
	readonly kind: BackendKind;
	/** A volume cannot grow past its size. */
	readonly enforcesSize: boolean;
	/** Whether a volume grows while it is in use. */
	growsOnline(facts: DataFacts): boolean;
	limits(facts: Pick<DataFacts, 'access' | 'fsType'>): SizeLimits;

	/** Whether `make` makes no more than a name: it can be done again for what nobody has used, and need not be on the disk at once. */
	makesAgain(facts: DataFacts): boolean;
	/** Empty data of this size in a new folder, whose files are synced once they are all there. */
	make(dir: string, facts: DataFacts): Promise<void>;
	/** The data of another folder at this moment, in a new one; `facts` are the copy's, never smaller than the original. */
	copy(from: string, to: string, facts: DataFacts): Promise<void>;
	/** Makes the data able to hold so much. */
	grow(dir: string, facts: DataFacts): Promise<void>;
	/** So much of the pool the data takes; synchronous, since all volumes are asked at once. */
	allocatedBytes(dir: string, facts: DataFacts): number;

	/** The device that others still have though it was given back, if a stage met one: it stays so until that is gone. */
	lingering?(dir: string): string | undefined;

	/** Whether it is staged at the path. */
	isStaged(request: StageRequest): Promise<boolean>;
	/** What must be done before a mount: repair, growth that waited. */
	prepare(request: StageRequest): Promise<void>;
	stage(request: StageRequest): Promise<void>;
	/** `shared`: another node of this host has it staged too, and keeps its device. */
	unstage(dir: string, facts: DataFacts, path: string, shared: boolean): Promise<void>;
	/** The file system or device grows to the data's size. Returns what it holds now. */
	growStaged(request: StageRequest): Promise<number>;
	/** Where the data is mounted on this host, for freezing; nothing where the data is no file system of its own. */
	mountPoints(dir: string): Promise<readonly MountPoint[]>;
	/** For raw blocks: a device to read and write, or to read only. Made where there is none. */
	device(dir: string, readOnly: boolean): Promise<string>;
	/** Gives back the devices that only readers have. */
	releaseReadOnly(dir: string): Promise<void>;
}
