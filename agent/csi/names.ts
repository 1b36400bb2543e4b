/** Where the kubelet keeps CSI volumes and what it calls them, as upstream's. Pure. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { attachmentName as nameOfAttachment, uniqueVolumeName } from '../../api/storage/attachment.ts';
import { podFolder, volumeFolder } from '../pod/folders.ts';

const PLUGIN = join('plugins', 'kubernetes.io', 'csi');

function sha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}

/** Of a VolumeAttachment. */
export function attachmentName(handle: string, driver: string, nodeName: string): string {
	return nameOfAttachment({ driver, volumeHandle: handle }, nodeName);
}

/** The handle of a volume that a pod's spec describes itself. */
export function inlineHandle(podUid: string, volumeName: string): string {
	return `csi-${sha256(podUid + volumeName)}`;
}

/** As node.status.volumesInUse and volumesAttached name it. */
export function uniqueName(driver: string, handle: string): string {
	return uniqueVolumeName({ driver, volumeHandle: handle });
}

/** The folder of a volume that is staged; `globalmount` and vol_data.json are in it. */
export function stagingFolder(rootDir: string, driver: string, handle: string): string {
	return join(rootDir, PLUGIN, driver, sha256(handle));
}

/** All drivers' staging folders are below. */
export function pluginFolder(rootDir: string): string {
	return join(rootDir, PLUGIN);
}

export const GLOBAL_MOUNT = 'globalmount';
export const BLOCK_DEVICES = 'volumeDevices';

/** The pod's folder of the volume; `mount` and vol_data.json are in it. */
export function publishFolder(rootDir: string, podUid: string, specName: string): string {
	return volumeFolder(rootDir, podUid, 'csi', specName);
}

export interface BlockPaths {
	readonly staging: string;
	readonly publish: string;
	/** vol_data.json's folder. */
	readonly data: string;
	/** A device for each pod, by its uid. */
	readonly map: string;
	/** The pod's own link to the device. */
	readonly podLink: string;
}

export function blockPaths(rootDir: string, podUid: string, specName: string): BlockPaths {
	const devices = join(rootDir, PLUGIN, BLOCK_DEVICES);
	return {
		staging: join(devices, 'staging', specName),
		publish: join(devices, 'publish', specName, podUid),
		data: join(devices, specName, 'data'),
		map: join(devices, specName, 'dev', podUid),
		podLink: join(podFolder(rootDir, podUid), 'volumeDevices', 'kubernetes.io~csi', specName),
	};
}
