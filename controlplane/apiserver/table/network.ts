/** Services, endpoints, ingresses and policies in tables. Pure. */
import { hostPort } from '../../../base/host-port.ts';
import type {
	Endpoints,
	EndpointSlice,
	Ingress,
	IngressClass,
	IPAddress,
	NetworkPolicy,
	Service,
	ServiceCIDR,
} from '../../../api/gen/types.ts';
import { age, columns, labelText, orNone, selectorText, type Cell, type Printer } from './column.ts';

const SHOWN = 3;
const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';

/** "80/TCP,443:30443/TCP" */
function portsText(service: Service): string {
	const ports = (service.spec?.ports ?? []).map(
		(p) => `${p.port}${p.nodePort === undefined || p.nodePort === 0 ? '' : `:${p.nodePort}`}/${p.protocol ?? 'TCP'}`,
	);
	return orNone(ports.join(','));
}

/** Addresses that a load balancer was given: each once, sorted. */
function balancers(
	all: readonly { readonly ip?: string | undefined; readonly hostname?: string | undefined }[] | undefined,
): readonly string[] {
	return [...new Set((all ?? []).map((a) => a.ip || (a.hostname ?? '')).filter(Boolean))].toSorted();
}

function externalIp(service: Service): string {
	const own = service.spec?.externalIPs ?? [];
	switch (service.spec?.type ?? 'ClusterIP') {
		case 'ClusterIP':
		case 'NodePort':
			return orNone(own.join(','));
		case 'LoadBalancer': {
			const given = balancers(service.status?.loadBalancer?.ingress);
			return [...given, ...own].join(',') || '<pending>';
		}
		case 'ExternalName':
			return service.spec?.externalName ?? '';
		default:
			return '<unknown>';
	}
}

export const servicePrinter: Printer = {
	columns: columns('Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector*'),
	cells: (s: Service, now): readonly Cell[] => [
		s.metadata.name ?? '',
		s.spec?.type ?? '',
		orNone(s.spec?.clusterIP),
		externalIp(s),
		portsText(s),
		age(s, now),
		labelText(s.spec?.selector),
	],
};

export const endpointsPrinter: Printer = {
	columns: columns('Name', 'Endpoints', 'Age'),
	cells(e: Endpoints, now): readonly Cell[] {
		const subsets = e.subsets ?? [];
		const all = subsets.flatMap(({ ports = [], addresses = [] }) =>
			ports.length === 0 ? addresses.map(({ ip }) => ip) : ports.flatMap((p) => addresses.map(({ ip }) => hostPort(ip, p.port))),
		);
		return [e.metadata.name ?? '', subsets.length === 0 ? '<none>' : listed(all, ''), age(e, now)];
	},
};

function listed(all: readonly string[], unset: string): string {
	if (all.length > SHOWN) return `${all.slice(0, SHOWN).join(',')} + ${all.length - SHOWN} more...`;
	// A single port may have neither a number nor a name.
	return all.join(',') || unset;
}

export const endpointSlicePrinter: Printer = {
	columns: columns('Name', 'AddressType', 'Ports', 'Endpoints', 'Age'),
	cells: (s: EndpointSlice, now): readonly Cell[] => [
		s.metadata.name ?? '',
		s.addressType,
		listed(
			(s.ports ?? []).map((p) => String(p.port ?? p.name ?? '*')),
			'<unset>',
		),
		listed(
			(s.endpoints ?? []).flatMap((e) => e.addresses ?? []),
			'<unset>',
		),
		age(s, now),
	],
};

/** Up to three hosts; once they are full, every rule beyond the third counts as one more, those without a host too. */
function hostsText(rules: readonly { readonly host?: string | undefined }[]): string {
	const hosts: string[] = [];
	for (const { host } of rules) {
		if (hosts.length === SHOWN) return `${hosts.join(',')} + ${rules.length - SHOWN} more...`;
		if (host !== undefined && host !== '') hosts.push(host);
	}
	return hosts.length === 0 ? '*' : hosts.join(',');
}

export const ingressPrinter: Printer = {
	columns: columns('Name', 'Class', 'Hosts', 'Address', 'Ports', 'Age'),
	cells(i: Ingress, now): readonly Cell[] {
		return [
			i.metadata.name ?? '',
			orNone(i.spec?.ingressClassName),
			hostsText(i.spec?.rules ?? []),
			balancers(i.status?.loadBalancer?.ingress).join(','),
			(i.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
			age(i, now),
		];
	},
};

export const ingressClassPrinter: Printer = {
	columns: columns('Name', 'Controller', 'Parameters', 'Age'),
	cells(c: IngressClass, now): readonly Cell[] {
		const p = c.spec?.parameters;
		const group = p?.apiGroup === undefined || p.apiGroup === null ? '' : `.${p.apiGroup}`;
		const name = `${c.metadata.name ?? ''}${c.metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`;
		return [name, c.spec?.controller ?? '', p === undefined ? '<none>' : `${p.kind}${group}/${p.name}`, age(c, now)];
	},
};

export const networkPolicyPrinter: Printer = {
	columns: columns('Name', 'Pod-Selector', 'Age'),
	cells: (p: NetworkPolicy, now): readonly Cell[] => [p.metadata.name ?? '', selectorText(p.spec?.podSelector), age(p, now)],
};

export const serviceCidrPrinter: Printer = {
	columns: columns('Name', 'CIDRs', 'Age'),
	cells: (s: ServiceCIDR, now): readonly Cell[] => [s.metadata.name ?? '', (s.spec?.cidrs ?? []).join(','), age(s, now)],
};

export const ipAddressPrinter: Printer = {
	columns: columns('Name', 'ParentRef'),
	cells(i: IPAddress, now): readonly Cell[] {
		const ref = i.spec?.parentRef;
		if (ref === undefined) return [i.metadata.name ?? '', '<none>', age(i, now)];
		const resource = [ref.resource, ref.group].filter(Boolean).join('.').toLowerCase();
		// Three cells under two columns: upstream's rows end with an age that no column names.
		return [i.metadata.name ?? '', [resource, ...(ref.namespace ? [ref.namespace] : []), ref.name].join('/'), age(i, now)];
	},
};
