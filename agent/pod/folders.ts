/** Where the files of a pod are. Pure. */
import { join } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';

/** Of all pods. */
export function podsFolder(rootDir: string): string {
	return join(rootDir, 'pods');
}

export function podFolder(rootDir: string, uid: string): string {
	return join(podsFolder(rootDir), uid);
}

/** `plugin` as upstream names folders: "empty-dir", "configmap", "projected", … */
export function volumeFolder(rootDir: string, uid: string, plugin: string, name: string): string {
	return join(podFolder(rootDir, uid), 'volumes', `kubernetes.io~${plugin}`, name);
}

/** Says that a volume of the pod is as it is to be. */
export function volumeReadyFile(rootDir: string, uid: string, plugin: string, name: string): string {
	return join(podFolder(rootDir, uid), 'plugins', `kubernetes.io~${plugin}`, name, 'ready');
}

/** The file behind a container's terminationMessagePath. */
export function terminationFile(rootDir: string, uid: string, container: string, attempt: number): string {
	return join(podFolder(rootDir, uid), 'containers', container, `termination-${attempt}`);
}

export function podLogFolder(podLogsDir: string, pod: Pod): string {
	const { namespace = '', name = '', uid = '' } = pod.metadata;
	return join(podLogsDir, `${namespace}_${name}_${uid}`);
}

/** The uid in the name of a pod's log folder; undefined for a folder that is no pod's. */
export function podLogFolderUid(name: string): string | undefined {
	const parts = name.split('_');
	return parts.length === 3 && parts[2] !== '' ? parts[2] : undefined;
}
