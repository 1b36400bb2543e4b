/** Ingresses and IngressClasses. */
import { fieldForbidden, invalidValue, required, tooLong } from '../../field-error.ts';
import type { HTTPIngressPath, HTTPIngressRuleValue, Ingress, IngressBackend, IngressClass } from '../../gen/types.ts';
import { parseAddress } from '../address-form.ts';
import { asSent } from '../../sent-empty.ts';
import { dns1035Label, dnsLabel, dnsSubdomain, pathSegment, portName, portNumber, wildcardSubdomain, type NameRule } from '../names.ts';
import { NAMESPACED, CLUSTER_SCOPED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { domainPrefixed, immutable, oneOf, present, texts, type Errors } from '../rule.ts';

const CLASS = 'kubernetes.io/ingress.class';

export function ingress(out: Errors, object: Ingress): void {
	ingressSpec(out, object, {});
	const named = object.metadata.annotations?.[CLASS];
	const { ingressClassName } = object.spec ?? {};
	if (named !== undefined && ingressClassName !== undefined && named !== ingressClassName)
		out.push(invalidValue(`annotations.${CLASS}`, named, 'must match `ingressClassName` when both are specified'));
}

export function ingressUpdate(out: Errors, object: Ingress, old: Ingress): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	ingressSpec(out, object, { secretNames: hasWrongSecret(old), wildcardRules: hasWrongWildcardRule(old) });
}

/** What is not looked at, because it was wrong before. */
interface Kept {
	readonly secretNames?: boolean;
	/** Of rules for hosts with wildcards, all but their host. */
	readonly wildcardRules?: boolean;
}

function hasWrongSecret({ spec }: Ingress): boolean {
	return (spec?.tls ?? []).some(({ secretName = '' }) => secretName !== '' && dnsSubdomain(secretName).length > 0);
}

/** Upstream judges the old rules by the stricter names that Services had. */
function hasWrongWildcardRule({ spec }: Ingress): boolean {
	const found: Errors = [];
	for (const { host = '', http } of spec?.rules ?? []) if (host.includes('*')) ruleValue(found, '', http, dns1035Label);
	return found.length > 0;
}

function ingressSpec(out: Errors, { metadata, spec }: Ingress, kept: Kept): void {
	objectMeta(out, metadata, NAMESPACED);
	const rules = spec?.rules ?? [];
	if (rules.length === 0 && spec?.defaultBackend === undefined)
		out.push(invalidValue('spec', asSent(spec, 'rules') ?? null, 'either `defaultBackend` or `rules` must be specified'));
	if (spec?.defaultBackend !== undefined) backend(out, 'spec.defaultBackend', spec.defaultBackend);
	for (const [i, { host = '', http }] of rules.entries()) {
		const at = `spec.rules[${i}]`;
		if (host !== '') {
			const say = `${at}.host`;
			if (parseAddress(host) !== undefined) out.push(invalidValue(say, host, 'must be a DNS name, not an IP address'));
			texts(out, say, host, host.includes('*') ? wildcardSubdomain(host) : dnsSubdomain(host));
		}
		if (kept.wildcardRules !== true || !host.includes('*')) ruleValue(out, at, http, dnsLabel);
	}
	for (const [i, { hosts = [], secretName }] of (spec?.tls ?? []).entries()) {
		for (const [j, host] of hosts.entries())
			texts(out, `spec.tls[${i}].hosts[${j}]`, host, host.includes('*') ? wildcardSubdomain(host) : dnsSubdomain(host));
		if (kept.secretNames !== true && secretName !== undefined && secretName !== '')
			texts(out, `spec.tls[${i}].secretName`, secretName, dnsSubdomain(secretName));
	}
	const { ingressClassName } = spec ?? {};
	if (ingressClassName !== undefined) texts(out, 'spec.ingressClassName', ingressClassName, dnsSubdomain(ingressClassName));
}

function ruleValue(out: Errors, at: string, http: HTTPIngressRuleValue | undefined, serviceName: NameRule): void {
	if (http === undefined || !present(out, `${at}.http.paths`, http.paths)) return;
	for (const [j, path] of http.paths.entries()) httpPath(out, `${at}.http.paths[${j}]`, path, serviceName);
}

const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDINGS = ['/..', '/.'];

function httpPath(out: Errors, at: string, { path = '', pathType, backend: target }: HTTPIngressPath, serviceName: NameRule): void {
	const type = pathType as string | undefined;
	if (type === undefined) {
		out.push(required(`${at}.pathType`, 'pathType must be specified'));
		return;
	}
	if (type === 'Exact' || type === 'Prefix') {
		if (!path.startsWith('/')) out.push(invalidValue(`${at}.path`, path, 'must be an absolute path'));
		if (path !== '') {
			for (const bad of BAD_SEQUENCES) if (path.includes(bad)) out.push(invalidValue(`${at}.path`, path, `must not contain '${bad}'`));
			for (const bad of BAD_ENDINGS) if (path.endsWith(bad)) out.push(invalidValue(`${at}.path`, path, `cannot end with '${bad}'`));
		}
	} else if (type === 'ImplementationSpecific') {
		if (path !== '' && !path.startsWith('/')) out.push(invalidValue(`${at}.path`, path, 'must be an absolute path'));
	} else oneOf(out, `${at}.pathType`, type, ['Exact', 'ImplementationSpecific', 'Prefix']);
	backend(out, `${at}.backend`, target, serviceName);
}

function backend(out: Errors, at: string, { service, resource }: IngressBackend, serviceName: NameRule = dnsLabel): void {
	const say = (text: string): void => void out.push(invalidValue(at, '', text));
	if (resource !== undefined && service !== undefined) return say('cannot set both resource and service backends');
	if (resource !== undefined) {
		const { apiGroup, kind, name } = resource;
		if (apiGroup !== undefined) texts(out, `${at}.resource.apiGroup`, apiGroup, dnsSubdomain(apiGroup));
		if (present(out, `${at}.resource.kind`, kind)) texts(out, `${at}.resource.kind`, kind, pathSegment(kind));
		if (present(out, `${at}.resource.name`, name)) texts(out, `${at}.resource.name`, name, pathSegment(name));
		return;
	}
	if (service === undefined) return say('resource or service backend is required');
	if (service.name === '') out.push(required(`${at}.service.name`));
	else texts(out, `${at}.service.name`, service.name, serviceName(service.name));
	const { name = '', number = 0 } = service.port ?? {};
	if (name !== '' && number !== 0) return say('cannot set both port name & port number');
	if (name !== '') texts(out, `${at}.service.port.name`, name, portName(name));
	else if (number !== 0) texts(out, `${at}.service.port.number`, number, portNumber(number));
	else out.push(required(at, 'port name or number is required'));
}

export function ingressClass(out: Errors, object: IngressClass): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	ingressClassSpec(out, object);
}

function ingressClassSpec(out: Errors, { spec }: IngressClass): void {
	const { controller = '', parameters } = spec ?? {};
	if (Buffer.byteLength(controller) > MAX_CONTROLLER) out.push(tooLong('spec.controller', MAX_CONTROLLER));
	domainPrefixed(out, 'spec.controller', controller);
	if (parameters === undefined) return;
	const at = 'spec.parameters';
	const { apiGroup, kind = '', name = '', scope, namespace } = parameters;
	if (apiGroup !== undefined) texts(out, `${at}.apiGroup`, apiGroup, dnsSubdomain(apiGroup));
	if (present(out, `${at}.kind`, kind)) texts(out, `${at}.kind`, kind, pathSegment(kind));
	if (present(out, `${at}.name`, name)) texts(out, `${at}.name`, name, pathSegment(name));
	if (scope === undefined) {
		out.push(required(`${at}.scope`));
		return;
	}
	oneOf(out, `${at}.scope`, scope, ['Cluster', 'Namespace']);
	if (scope === 'Namespace') {
		if (namespace === undefined) out.push(required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'"));
		else texts(out, `${at}.namespace`, namespace, dnsLabel(namespace));
	}
	if (scope === 'Cluster' && namespace !== undefined) out.push(fieldForbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'"));
}

const MAX_CONTROLLER = 250;

export function ingressClassUpdate(out: Errors, object: IngressClass, old: IngressClass): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	immutable(out, 'spec.controller', object.spec?.controller ?? '', old.spec?.controller ?? '');
	ingressClass(out, object);
}
