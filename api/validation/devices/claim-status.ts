/** The status of a claim for devices: what it was given, who uses it, and what drivers say of its devices (upstream ValidateResourceClaimStatusUpdate). */
import { deviceKey } from '../../device-key.ts';
import { fieldForbidden, invalidValue, notSupported, required, tooLong, tooMany } from '../../field-error.ts';
import type {
	AllocatedDeviceStatus,
	AllocationResult,
	DeviceRequestAllocationResult,
	NetworkDeviceData,
	ResourceClaimConsumerReference,
	ResourceResourceClaim,
} from '../../gen/types.ts';
import { goQuote } from '../../go-quote.ts';
import { internalForm } from '../../internal/form.ts';
import { MAX_CLAIM_USERS } from '../../pod/resource-claims.ts';
import { sameTyped } from '../../same-typed.ts';
import { conditionList } from '../conditions.ts';
import { bindingConditions } from './bindings.ts';
import { requestNames, requestReference, requestReferences, type RequestNames } from './claims.ts';
import { items, unique } from './lists.ts';
import { driverName, jsonObject, opaqueConfiguration, poolName } from './names.ts';
import { interfaceComplaints } from '../address-form.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { dnsLabel } from '../names.ts';
import { same, texts, type Errors } from '../rule.ts';
import { nodeSelector } from '../selectors.ts';

const MAX = {
	results: 32,
	config: 64,
	conditions: 8,
	addresses: 16,
	interfaceName: 256,
	hardwareAddress: 128,
} as const;
const SOURCES = ['FromClaim', 'FromClass'];

export function resourceClaimStatusUpdate(out: Errors, object: ResourceResourceClaim, old: ResourceResourceClaim): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	const { allocation, devices = [], reservedFor = [] } = object.status ?? {};
	const uid = (user: ResourceClaimConsumerReference): string => user.uid ?? '';
	unique(out, 'status.reservedFor', reservedFor, MAX_CLAIM_USERS, uid, (at, user) => consumer(out, at, user));
	const given = new Set((allocation?.devices?.results ?? []).map(deviceKey));
	unique(out, 'status.devices', devices, Infinity, deviceKey, (at, device) => deviceStatus(out, at, device, given), goDeviceId);
	if (reservedFor.length > 0 && allocation === undefined)
		out.push(fieldForbidden('status.reservedFor', 'may not be specified when `allocated` is not set'));
	else if (object.metadata.deletionTimestamp !== undefined) {
		const before = old.status?.reservedFor ?? [];
		if (reservedFor.some((user) => !before.some((one) => same(one, user))))
			out.push(
				fieldForbidden('status.reservedFor', 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'),
			);
	}
	if (allocation === undefined) return;
	if (old.status?.allocation === undefined) allocated(out, 'status.allocation', allocation, requestNames(object.spec.devices));
	else if (!sameTyped('resource/v1.AllocationResult', allocation, old.status.allocation))
		out.push(invalidValue('status.allocation', internalForm('resource/v1.AllocationResult', allocation), 'field is immutable'));
}

/** As Go prints it. */
function goDeviceId({ driver = '', pool = '', device = '', shareID = '' }: Partial<AllocatedDeviceStatus>): object {
	return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}

function consumer(out: Errors, at: string, { resource, name, uid }: Partial<ResourceClaimConsumerReference>): void {
	for (const [key, value] of Object.entries({ resource, name, uid })) if ((value ?? '') === '') out.push(required(`${at}.${key}`));
}

function allocated(
	out: Errors,
	at: string,
	{ devices: { results = [], config = [] } = {}, nodeSelector: nodes }: AllocationResult,
	names: RequestNames,
): void {
	items(out, `${at}.devices.results`, results, MAX.results, (path, result) => {
		requestReference(out, `${path}.request`, result.request ?? '', names);
		placed(out, path, result);
		bindingConditions(out, path, result);
		share(out, path, result.shareID);
	});
	items(out, `${at}.devices.config`, config, MAX.config, (path, { source = '', requests = [], opaque }) => {
		if (source === '') out.push(required(`${path}.source`));
		else if (!SOURCES.includes(source)) out.push(notSupported(`${path}.source`, source, SOURCES));
		requestReferences(out, `${path}.requests`, requests, names);
		opaqueConfiguration(out, path, opaque);
	});
	if (nodes !== undefined) nodeSelector(out, `${at}.nodeSelector`, nodes);
}

function placed(out: Errors, at: string, { driver = '', pool = '', device = '' }: Partial<DeviceRequestAllocationResult>): void {
	driverName(out, `${at}.driver`, driver);
	poolName(out, `${at}.pool`, pool);
	texts(out, `${at}.device`, device, dnsLabel(device));
}

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UID_TEXT = 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';

function share(out: Errors, at: string, id: string | undefined): void {
	if (id === undefined) return;
	const path = `${at}.shareID`;
	const fault = uidFault(id);
	if (fault !== undefined) out.push(invalidValue(path, id, `error validating uid: ${fault}`));
	else if (id.length !== 36 || id !== id.toLowerCase()) out.push(invalidValue(path, id, UID_TEXT));
}

const URN = 'urn:uuid:';

/** As github.com/google/uuid's Validate: by its length in bytes it is plain, in braces, a URN, or without hyphens. */
function uidFault(id: string): string | undefined {
	const format = (ok: boolean): string | undefined => (ok ? undefined : 'invalid UUID format');
	switch (Buffer.byteLength(id)) {
		case 36:
			return format(UID.test(id));
		case 38:
			return /^\{.*\}$/s.test(id) ? format(UID.test(id.slice(1, -1))) : 'invalid bracketed UUID format';
		case 45: {
			const start = Buffer.from(id).subarray(0, URN.length).toString();
			return start.toLowerCase() === URN ? format(UID.test(id.slice(URN.length))) : `invalid urn prefix: ${goQuote(start)}`;
		}
		case 32:
			return format(/^[0-9a-f]*$/i.test(id));
		default:
			return `invalid UUID length: ${Buffer.byteLength(id)}`;
	}
}

function deviceStatus(out: Errors, at: string, device: AllocatedDeviceStatus, given: ReadonlySet<string>): void {
	placed(out, at, device);
	share(out, at, device.shareID);
	if (!given.has(deviceKey(device))) out.push(invalidValue(at, goDeviceId(device), 'must be an allocated device in the claim'));
	const { conditions = [], data, networkData } = device;
	if (conditions.length > MAX.conditions) out.push(tooMany(`${at}.conditions`, conditions.length, MAX.conditions));
	conditionList(out, `${at}.conditions`, conditions);
	if (data !== undefined && data !== null) jsonObject(out, `${at}.data`, data);
	if (networkData !== undefined) network(out, `${at}.networkData`, networkData);
}

function network(out: Errors, at: string, { interfaceName = '', hardwareAddress = '', ips = [] }: NetworkDeviceData): void {
	if (Buffer.byteLength(interfaceName) > MAX.interfaceName) out.push(tooLong(`${at}.interfaceName`, MAX.interfaceName));
	if (Buffer.byteLength(hardwareAddress) > MAX.hardwareAddress) out.push(tooLong(`${at}.hardwareAddress`, MAX.hardwareAddress));
	const own = (ip: string): string => ip;
	unique(out, `${at}.ips`, ips, MAX.addresses, own, (path, ip) => texts(out, path, ip, interfaceComplaints(ip)));
}
