/** The claims of dynamic resource allocation: requests for devices, constraints between them, their configuration. */
import { invalidValue, notSupported, required } from '../../field-error.ts';
import type { DeviceClaim, DeviceConstraint, DeviceRequest, DeviceToleration, ExactDeviceRequest } from '../../gen/types.ts';
import { items, unique } from './lists.ts';
import { fullyQualified, opaqueConfiguration } from './names.ts';
import { deviceSelectors } from './selectors.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../names.ts';
import { oneOf, texts, type Errors } from '../rule.ts';

const MAX_ITEMS = 32;
const MAX_ALTERNATIVES = 8;
export const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];

export function deviceClaim(out: Errors, at: string, { requests = [], constraints = [], config = [] }: DeviceClaim): void {
	const names = requestNames({ requests });
	const nameOf = ({ name = '' }: { readonly name?: string | undefined }): string => name;
	unique(out, `${at}.requests`, requests, MAX_ITEMS, nameOf, (path, request) => deviceRequest(out, path, request));
	items(out, `${at}.constraints`, constraints, MAX_ITEMS, (path, constraint) => deviceConstraint(out, path, constraint, names));
	items(out, `${at}.config`, config, MAX_ITEMS, (path, { requests: of = [], opaque: given }) => {
		requestReferences(out, `${path}.requests`, of, names);
		opaqueConfiguration(out, path, given);
	});
}

const ONE_KIND = 'exactly one of `exactly` or `firstAvailable` is required';

function deviceRequest(out: Errors, at: string, { name = '', exactly, firstAvailable = [] }: DeviceRequest): void {
	texts(out, `${at}.name`, name, dnsLabel(name));
	if (exactly === undefined && firstAvailable.length === 0) out.push(required(at, ONE_KIND));
	else if (exactly !== undefined && firstAvailable.length > 0) out.push(invalidValue(at, null, `${ONE_KIND}, but multiple fields are set`));
	else if (exactly !== undefined) exactRequest(out, `${at}.exactly`, exactly);
	else
		unique(
			out,
			`${at}.firstAvailable`,
			firstAvailable,
			MAX_ALTERNATIVES,
			(sub) => sub.name ?? '',
			(path, sub) => {
				texts(out, `${path}.name`, sub.name ?? '', dnsLabel(sub.name ?? ''));
				exactRequest(out, path, sub);
			},
		);
}

function exactRequest(out: Errors, at: string, request: Partial<ExactDeviceRequest>): void {
	const { deviceClassName = '', selectors = [], allocationMode: mode = '', count = 0, tolerations = [] } = request;
	if (deviceClassName === '') out.push(required(`${at}.deviceClassName`));
	else texts(out, `${at}.deviceClassName`, deviceClassName, dnsSubdomain(deviceClassName));
	deviceSelectors(out, `${at}.selectors`, selectors);
	if (mode === 'All' && count !== 0) out.push(invalidValue(`${at}.count`, count, "must not be specified when allocationMode is 'All'"));
	else if (mode === 'ExactCount' && count <= 0) out.push(invalidValue(`${at}.count`, count, 'must be greater than zero'));
	else if (mode !== 'All' && mode !== 'ExactCount') out.push(notSupported(`${at}.allocationMode`, mode, ['All', 'ExactCount']));
	for (const [i, toleration] of tolerations.entries()) deviceToleration(out, `${at}.tolerations[${i}]`, toleration);
}

function deviceToleration(out: Errors, at: string, { key = '', operator = '', value = '', effect = '' }: DeviceToleration): void {
	if (key !== '') texts(out, `${at}.key`, key, qualifiedName(key));
	if (operator === 'Exists') {
		if (value !== '') out.push(invalidValue(`${at}.value`, value, 'must be empty for operator `Exists`'));
	} else if (operator === 'Equal') texts(out, `${at}.value`, value, labelValue(value));
	else if (operator === '') out.push(required(`${at}.operator`));
	else out.push(notSupported(`${at}.operator`, operator, ['Equal', 'Exists']));
	if (effect !== '') oneOf(out, `${at}.effect`, effect, EFFECTS);
}

/** The requests of a claim, and the alternatives of each. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNames(claim: DeviceClaim | undefined): RequestNames {
	return new Map(
		(claim?.requests ?? []).map(
			({ name = '', firstAvailable = [] }) => [name, new Set(firstAvailable.map((sub) => sub.name ?? ''))] as const,
		),
	);
}

const ONE_ATTRIBUTE = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';

function deviceConstraint(out: Errors, at: string, constraint: DeviceConstraint, names: RequestNames): void {
	requestReferences(out, `${at}.requests`, constraint.requests ?? [], names);
	const { matchAttribute, distinctAttribute } = constraint;
	if (matchAttribute !== undefined) fullyQualified(out, `${at}.matchAttribute`, matchAttribute);
	else if (distinctAttribute !== undefined) fullyQualified(out, `${at}.distinctAttribute`, distinctAttribute);
	else out.push(required(at, ONE_ATTRIBUTE));
}

const REFERENCE = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

export function requestReferences(out: Errors, path: string, list: readonly string[], names: RequestNames): void {
	unique(
		out,
		path,
		list,
		MAX_ITEMS,
		(name) => name,
		(at, name) => requestReference(out, at, name, names),
	);
}

export function requestReference(out: Errors, at: string, name: string, names: RequestNames): void {
	const segments = name.split('/');
	if (segments.length > 2) {
		out.push(invalidValue(at, name, REFERENCE));
		return;
	}
	for (const segment of segments) texts(out, at, segment, dnsLabel(segment));
	const [request = '', sub] = segments;
	const subs = names.get(request);
	if (subs === undefined || (sub !== undefined && !subs.has(sub))) out.push(invalidValue(at, name, REFERENCE));
}
