/** Bind mounts, file systems in memory and their end, for who makes many: by a helper process where it runs (mount-helper.ts), by the system's commands elsewhere. */
import { mount, unmountTopmost } from './mounts.ts';

export interface Mounter {
	/** A bind mount. The kernel follows both paths as they are given: for those of open descriptors. */
	bind(source: string, target: string): Promise<void>;
	/** A file system in memory. @param options of tmpfs(5), such as `size=4096` */
	tmpfs(target: string, options: readonly string[]): Promise<void>;
	/** Of what is mounted at the path, for who knows that something is. */
	unmount(target: string): Promise<void>;
	/** No more is asked for; what is under way goes on. */
	stop(): Promise<void>;
}

export const mountCommands: Mounter = {
	bind: (source, target) => mount(source, target, { options: ['bind'], asIs: true }),
	tmpfs: (target, options) => mount('tmpfs', target, { type: 'tmpfs', options, asIs: true }),
	unmount: (target) => unmountTopmost(target),
	stop: () => Promise.resolve(),
};
