/** Parameters of a StorageClass: those for the sidecars, and the rest, which the driver is told. Pure. */
import { AppError } from '../../../base/errors.ts';
import { DEFAULT_SECRET, RESERVED, secretKeys } from '../secrets.ts';

const FS_TYPE = `${RESERVED}fstype`;

/** Which secret each call gets. */
export const CALL_SECRETS = {
	provisioner: secretKeys('Provisioner', 'provisioner', ['csiProvisionerSecretName', 'csiProvisionerSecretNamespace']),
	controllerPublish: secretKeys('ControllerPublish', 'controller-publish', [
		'csiControllerPublishSecretName',
		'csiControllerPublishSecretNamespace',
	]),
	nodeStage: secretKeys('NodeStage', 'node-stage', ['csiNodeStageSecretName', 'csiNodeStageSecretNamespace']),
	nodePublish: secretKeys('NodePublish', 'node-publish', ['csiNodePublishSecretName', 'csiNodePublishSecretNamespace']),
	controllerExpand: secretKeys('ControllerExpand', 'controller-expand'),
	nodeExpand: secretKeys('NodeExpand', 'node-expand'),
	controllerModify: secretKeys('ControllerModify', 'controller-modify'),
} as const;

const KNOWN = new Set([FS_TYPE, ...DEFAULT_SECRET.keys, ...Object.values(CALL_SECRETS).flatMap(({ keys }) => keys)]);

type Parameters = Readonly<Record<string, string>>;

export function fsTypeOf(parameters: Parameters, unless: string): string {
	const given = Object.entries(parameters).filter(([key]) => key.toLowerCase() === 'fstype' || key === FS_TYPE);
	if (given.length > 1) throw new AppError('InvalidArgument', `fstype specified in parameters with both "fstype" and "${FS_TYPE}" keys`);
	const value = given[0]?.[1] ?? '';
	return value === '' ? unless : value;
}

/** What the driver is told: all but the reserved names, of which only known ones are taken. */
export function driverParameters(parameters: Parameters): Record<string, string> {
	const unknown = Object.keys(parameters).find((key) => key.startsWith(RESERVED) && !KNOWN.has(key));
	if (unknown !== undefined)
		throw new AppError(
			'InvalidArgument',
			`failed to strip CSI Parameters of prefixed keys: found unknown parameter key "${unknown}" with reserved namespace ${RESERVED}`,
		);
	return Object.fromEntries(Object.entries(parameters).filter(([key]) => !key.startsWith(RESERVED)));
}
