/** EndpointSlices and Endpoints. */
import { invalidValue, required, tooMany } from '../../field-error.ts';
import type { EndpointAddress, EndpointHints, EndpointSlice, Endpoints } from '../../gen/types.ts';
import { canonicalIpComplaints, ipComplaints } from '../address-form.ts';
import { endpointIp } from './endpoint-ip.ts';
import { isV4, isV6 } from '../ip.ts';
import { dnsLabel, dnsSubdomain, labelValue, portNumber, qualifiedName } from '../names.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { Unique, immutable, same, oneOf, texts, type Errors } from '../rule.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_ENDPOINTS = 1000;

export function endpointSlice(out: Errors, object: EndpointSlice): void {
	objectMeta(out, object.metadata, NAMESPACED);
	const type = object.addressType as string | undefined;
	if ((type ?? '') === '') out.push(required('addressType'));
	else oneOf(out, 'addressType', type, ['FQDN', 'IPv4', 'IPv6']);
	slicePorts(out, object.ports ?? []);
	sliceEndpoints(out, object.endpoints ?? [], type);
}

function slicePorts(out: Errors, ports: NonNullable<EndpointSlice['ports']>): void {
	if (ports.length > MAX_PORTS) {
		out.push(tooMany('ports', ports.length, MAX_PORTS));
		return;
	}
	const names = new Unique();
	for (const [i, { name = '', protocol, appProtocol }] of ports.entries()) {
		const at = `ports[${i}]`;
		if (name !== '') texts(out, `${at}.name`, name, dnsLabel(name));
		names.check(out, `${at}.name`, name);
		if (protocol === undefined) out.push(required(`${at}.protocol`));
		else oneOf(out, `${at}.protocol`, protocol, PROTOCOLS);
		if (appProtocol !== undefined) texts(out, `${at}.appProtocol`, appProtocol, qualifiedName(appProtocol));
	}
}

function sliceEndpoints(out: Errors, list: NonNullable<EndpointSlice['endpoints']>, type: string | undefined): void {
	if (list.length > MAX_ENDPOINTS) {
		out.push(tooMany('endpoints', list.length, MAX_ENDPOINTS));
		return;
	}
	for (const [i, endpoint] of list.entries()) {
		const at = `endpoints[${i}]`;
		const addresses = endpoint.addresses ?? [];
		if (addresses.length === 0) out.push(required(`${at}.addresses`, 'must contain at least 1 address'));
		if (addresses.length > MAX_ADDRESSES) out.push(tooMany(`${at}.addresses`, addresses.length, MAX_ADDRESSES));
		for (const [j, address] of addresses.entries()) sliceAddress(out, at, `${at}.addresses[${j}]`, type, address);
		if (endpoint.nodeName !== undefined) texts(out, `${at}.nodeName`, endpoint.nodeName, dnsSubdomain(endpoint.nodeName));
		if (endpoint.hostname !== undefined) texts(out, `${at}.hostname`, endpoint.hostname, dnsLabel(endpoint.hostname));
		hints(out, `${at}.hints`, endpoint.hints);
	}
}

const MAX_HINTS = 8;

function hints(out: Errors, at: string, { forZones = [], forNodes = [] }: EndpointHints = {}): void {
	for (const [key, list, rule] of [
		['forZones', forZones, labelValue],
		['forNodes', forNodes, dnsSubdomain],
	] as const) {
		if (list.length > MAX_HINTS) {
			out.push(tooMany(`${at}.${key}`, list.length, MAX_HINTS));
			return;
		}
		const seen = new Unique();
		for (const [i, { name = '' }] of list.entries()) {
			seen.check(out, `${at}.${key}[${i}].name`, name);
			texts(out, `${at}.${key}[${i}].name`, name, rule(name));
		}
	}
}

/** IsFullyQualifiedDomainName: the first thing that is wrong. */
function qualifiedDomain(out: Errors, path: string, given: string): void {
	if (given === '') {
		out.push(required(path));
		return;
	}
	const name = given.replace(/\.$/, '');
	const say = (value: string, text: string): void => void out.push(invalidValue(path, value, text));
	const complaints = dnsSubdomain(name);
	const parts = name.split('.');
	if (complaints.length > 0) return say(name, complaints.join(','));
	if (parts.length < 2) return say(name, 'should be a domain with at least two segments separated by dots');
	const wrong = parts.find((part) => dnsLabel(part).length > 0);
	if (wrong !== undefined) say(wrong, dnsLabel(wrong).join(','));
}

function sliceAddress(out: Errors, at: string, path: string, type: string | undefined, address: string): void {
	if (type === 'FQDN') return qualifiedDomain(out, path, address);
	if (type !== 'IPv4' && type !== 'IPv6') return;
	const complaints = type === 'IPv4' ? ipComplaints(address) : canonicalIpComplaints(address);
	if (complaints.length > 0) return texts(out, path, address, complaints);
	if (!(type === 'IPv4' ? isV4(address) : isV6(address))) out.push(invalidValue(`${at}.addresses`, address, `must be an ${type} address`));
	endpointIp(out, path, address);
}

export function endpointSliceUpdate(out: Errors, object: EndpointSlice, old: EndpointSlice): void {
	// What stays as it was is not looked at again.
	endpointSlice(out, same(object.endpoints, old.endpoints) ? { ...object, endpoints: [] } : object);
	immutable(out, 'addressType', object.addressType, old.addressType);
}

export function endpoints(out: Errors, object: Endpoints): void {
	objectMeta(out, object.metadata, NAMESPACED);
	for (const [i, subset] of (object.subsets ?? []).entries()) {
		const at = `subsets[${i}]`;
		const ports = subset.ports ?? [];
		if ((subset.addresses ?? []).length === 0 && (subset.notReadyAddresses ?? []).length === 0)
			out.push(required(at, 'must specify `addresses` or `notReadyAddresses`'));
		for (const key of ['addresses', 'notReadyAddresses'] as const)
			for (const [j, address] of (subset[key] ?? []).entries()) endpointAddress(out, `${at}.${key}[${j}]`, address);
		for (const [j, { name = '', port, protocol = '', appProtocol }] of ports.entries()) {
			const path = `${at}.ports[${j}]`;
			if (ports.length > 1 && name === '') out.push(required(`${path}.name`));
			else if (name !== '') texts(out, `${path}.name`, name, dnsLabel(name));
			texts(out, `${path}.port`, port, portNumber(port));
			if (protocol === '') out.push(required(`${path}.protocol`));
			else oneOf(out, `${path}.protocol`, protocol, PROTOCOLS);
			if (appProtocol !== undefined) texts(out, `${path}.appProtocol`, appProtocol, qualifiedName(appProtocol));
		}
	}
}

function endpointAddress(out: Errors, at: string, { ip = '', hostname = '', nodeName }: EndpointAddress): void {
	texts(out, `${at}.ip`, ip, ipComplaints(ip));
	if (hostname !== '') texts(out, `${at}.hostname`, hostname, dnsLabel(hostname));
	if (nodeName !== undefined) texts(out, `${at}.nodeName`, nodeName, dnsSubdomain(nodeName));
	endpointIp(out, `${at}.ip`, ip);
}

export function endpointsUpdate(out: Errors, object: Endpoints, old: Endpoints): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	// What stays as it was is not looked at again.
	endpoints(out, same(object.subsets, old.subsets) ? { ...object, subsets: [] } : object);
}
