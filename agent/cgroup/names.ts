/** Where the control groups of pods are: kubepods, a group a class of service below it, a group a pod below that. Pure; upstream's names of both drivers. */
import type { QosClass } from '../../api/pod/qos.ts';
import type { CgroupDriver } from '../config/resource-settings.ts';

/** A group by the names of its ancestors and its own, from the root. */
export type GroupName = readonly string[];

export function rootName(root: string): GroupName {
	return root.split('/').filter((part) => part !== '');
}

export function kubepods(root: GroupName): GroupName {
	return [...root, 'kubepods'];
}

/** Guaranteed pods are directly in kubepods. */
export function classGroup(root: GroupName, qos: QosClass): GroupName {
	return qos === 'Guaranteed' ? kubepods(root) : [...kubepods(root), qos.toLowerCase()];
}

export function podGroup(root: GroupName, qos: QosClass, uid: string): GroupName {
	return [...classGroup(root, qos), `pod${uid}`];
}

/** As runtimes are told of it, and where its folder is below the root of a hierarchy. */
export function pathOf(name: GroupName, driver: CgroupDriver): string {
	if (name.length === 0) return '/';
	return driver === 'systemd' ? expandSlice(sliceOf(name)) : `/${name.join('/')}`;
}

/** systemd tells a slice's ancestors by the dashes in its name. */
export function sliceOf(name: GroupName): string {
	return `${name.map((part) => part.replaceAll('-', '_')).join('-')}.slice`;
}

/** "a-b.slice" is in "a.slice". */
function expandSlice(slice: string): string {
	const parts = slice.slice(0, -'.slice'.length).split('-');
	return parts.map((_, i) => `/${parts.slice(0, i + 1).join('-')}.slice`).join('');
}

/** The uid of the pod whose group's folder has this name; undefined for another folder. */
export function podUidOf(folder: string, driver: CgroupDriver): string | undefined {
	if (driver === 'cgroupfs') return /^pod(.+)$/.exec(folder)?.[1];
	return /-pod([^-]+)\.slice$/.exec(folder)?.[1]?.replaceAll('_', '-');
}

/** The container or sandbox that a runtime named a group for: ID, or "cri-containerd-ID.scope", "docker-ID.scope", "crio-ID.scope". */
export function runtimeIdOf(folder: string): string | undefined {
	return /^(?:[a-z-]+-)?([0-9a-f]{64})(?:\.scope)?$/.exec(folder)?.[1];
}
