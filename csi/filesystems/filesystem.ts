/** What a file system in an image can do; each has a file of its own here. */
import type { FsType } from '../capability.ts';

export interface FileSystem {
	readonly type: FsType;
	readonly minBytes: number;
	readonly maxBytes: number;
	/** The command that makes it, by which it is detected. */
	readonly command: string;
	/** What every mount of it is given. */
	readonly mountOptions: readonly string[];
	make(file: string): Promise<void>;
	/** Repairs what a crash left, before a mount. Throws FailedPrecondition for what needs a person. */
	check(file: string): Promise<void>;
	/** Grows an unmounted one to its file; does nothing where it only grows mounted. */
	growOffline(file: string): Promise<void>;
	/** Grows a mounted one to its device. */
	growOnline(device: string, mountPoint: string): Promise<void>;
	/** Whether `growOnline` works in this process. */
	growsOnline(capabilities: readonly string[]): boolean;
}
