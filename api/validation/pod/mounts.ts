/** Where a container mounts volumes, as folders or as block devices. */
import { fieldForbidden, fieldNotFound, invalidValue } from '../../field-error.ts';
import type { Container } from '../../gen/types.ts';
import type { PodContext } from './context.ts';
import { descending } from '../paths.ts';
import { oneOf, present, type Errors } from '../rule.ts';

export function mounts(out: Errors, path: string, container: Container, { volumes }: PodContext): void {
	const places = new Set<string>();
	const blocks = new Map((container.volumeDevices ?? []).map(({ name, devicePath }) => [name, devicePath]));
	const devicePaths = new Set(blocks.values());
	for (const [i, mount] of (container.volumeMounts ?? []).entries()) {
		const at = `${path}[${i}]`;
		present(out, `${at}.name`, mount.name);
		if (!volumes.has(mount.name)) out.push(fieldNotFound(`${at}.name`, mount.name));
		present(out, `${at}.mountPath`, mount.mountPath);
		if (places.has(mount.mountPath)) out.push(invalidValue(`${at}.mountPath`, mount.mountPath, 'must be unique'));
		places.add(mount.mountPath);
		if (blocks.has(mount.name)) out.push(invalidValue(`${at}.name`, mount.name, 'must not already exist in volumeDevices'));
		if (devicePaths.has(mount.mountPath))
			out.push(invalidValue(`${at}.mountPath`, mount.mountPath, 'must not already exist as a path in volumeDevices'));
		const { subPath = '', subPathExpr = '', mountPropagation } = mount;
		if (subPath !== '') descending(out, `${path}.subPath`, subPath);
		if (subPathExpr !== '') {
			if (subPath !== '') out.push(invalidValue(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
			descending(out, `${path}.subPathExpr`, subPathExpr);
		}
		if (mountPropagation !== undefined) {
			oneOf(out, `${path}.mountPropagation`, mountPropagation, ['Bidirectional', 'HostToContainer', 'None']);
			if (mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true)
				out.push(fieldForbidden(`${path}.mountPropagation`, 'Bidirectional mount propagation is available only to privileged containers'));
		}
		recursiveReadOnly(out, `${path}.recursiveReadOnly`, mount);
	}
}

function recursiveReadOnly(
	out: Errors,
	path: string,
	{ readOnly, recursiveReadOnly: value, mountPropagation }: NonNullable<Container['volumeMounts']>[number],
): void {
	if (value === undefined) return;
	oneOf(out, path, value, ['Disabled', 'Enabled', 'IfPossible']);
	if (value !== 'Enabled' && value !== 'IfPossible') return;
	if (readOnly !== true) out.push(fieldForbidden(path, 'may only be specified when readOnly is true'));
	if (mountPropagation !== undefined && mountPropagation !== 'None')
		out.push(fieldForbidden(path, 'may only be specified when mountPropagation is None or not specified'));
}

export function devices(out: Errors, path: string, container: Container, { volumes }: PodContext): void {
	const names = new Set<string>();
	const places = new Set<string>();
	const mounted = new Map((container.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));
	const mountPaths = new Set(mounted.values());
	for (const [i, { name, devicePath }] of (container.volumeDevices ?? []).entries()) {
		const at = `${path}[${i}]`;
		present(out, `${at}.name`, name);
		if (names.has(name)) out.push(invalidValue(`${at}.name`, name, 'must be unique'));
		const volume = volumes.get(name);
		if (volume !== undefined && volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined)
			out.push(invalidValue(`${at}.name`, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'));
		if (volume === undefined) out.push(fieldNotFound(`${at}.name`, name));
		present(out, `${at}.devicePath`, devicePath);
		if (places.has(devicePath)) out.push(invalidValue(`${at}.devicePath`, devicePath, 'must be unique'));
		if (devicePath !== '' && devicePath.split('/').includes('..'))
			out.push(invalidValue(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
		else places.add(devicePath);
		if (mounted.has(name)) out.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeMounts'));
		if (mountPaths.has(devicePath))
			out.push(invalidValue(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
		if (name !== '') names.add(name);
	}
}
