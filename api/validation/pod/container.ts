/** Containers of a pod: names, images, ports, environment, mounts, lifecycle and probes. */
import { fieldForbidden, fieldNotFound, duplicate, invalidValue, required, tooMany } from '../../field-error.ts';
import type { Container, ContainerPort, EnvFromSource, EnvVar, LifecycleHandler, PodSpec, Probe } from '../../gen/types.ts';
import { asSent } from '../../sent-empty.ts';
import { fieldRef, fileKeyRef, keyRef, resourceFieldRef } from './downward.ts';
import { dnsLabel, dnsSubdomain, envName, headerName, portName, portNumber } from '../names.ts';
import { devices, mounts } from './mounts.ts';
import type { PodContext } from './context.ts';
import { containerResources } from './resources.ts';
import { nonNegative, oneOf, present, texts, Unique, type Errors } from '../rule.ts';
import { containerSecurity } from './security.ts';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function containers(out: Errors, path: string, list: readonly Container[], context: PodContext): void {
	if (!present(out, path, list)) return;
	const names = new Unique();
	for (const [i, container] of list.entries()) {
		const at = `${path}[${i}]`;
		common(out, at, container, context);
		names.check(out, `${at}.name`, container.name);
		if (container.lifecycle !== undefined) {
			if (container.lifecycle.postStart !== undefined)
				handler(out, `${at}.lifecycle.postStart`, container.lifecycle.postStart, graceOf(context));
			if (container.lifecycle.preStop !== undefined) handler(out, `${at}.lifecycle.preStop`, container.lifecycle.preStop, graceOf(context));
		}
		probes(out, at, container);
		restartRules(out, at, container);
	}
	hostPorts(out, path, list);
}

export function initContainers(out: Errors, path: string, list: readonly Container[], context: PodContext): void {
	const names = new Set((context.spec.containers ?? []).map(({ name }) => name ?? ''));
	for (const [i, container] of list.entries()) {
		const at = `${path}[${i}]`;
		common(out, at, container, context);
		if (container.restartPolicy === undefined) rulesNeedPolicy(out, at, container);
		else restartRules(out, at, container);
		const always = container.restartPolicy === 'Always';
		const { name = '' } = container;
		if (names.has(name)) out.push(duplicate(`${at}.name`, name));
		else if (name !== '') names.add(name);
		hostPorts(out, path, [container]);
		if (always) {
			if (container.lifecycle?.postStart !== undefined)
				handler(out, `${at}.lifecycle.postStart`, container.lifecycle.postStart, graceOf(context));
			if (container.lifecycle?.preStop !== undefined)
				handler(out, `${at}.lifecycle.preStop`, container.lifecycle.preStop, graceOf(context));
			probes(out, at, container);
			continue;
		}
		for (const key of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
			if (container[key] !== undefined)
				out.push(fieldForbidden(`${at}.${key}`, 'may not be set for init containers without restartPolicy=Always'));
		if (context.options.has('initContainerRestarts')) continue;
		for (const [j, { restartPolicy }] of (container.resizePolicy ?? []).entries())
			if (restartPolicy === 'RestartContainer')
				out.push(invalidValue(`${at}.resizePolicy[${j}].restartPolicy`, restartPolicy, NOT_SIDECAR));
	}
}

const NOT_SIDECAR = "must not be set to 'RestartContainer' for non-sidecar initContainers";

/** What an ephemeral container may not have. */
const NOT_EPHEMERAL = [
	'ports',
	'resources',
	'resizePolicy',
	'restartPolicy',
	'restartPolicyRules',
	'livenessProbe',
	'readinessProbe',
	'startupProbe',
	'lifecycle',
] as const;

export function ephemeralContainers(out: Errors, path: string, spec: PodSpec, context: PodContext): void {
	const others = new Set([...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name));
	const names = new Set(others);
	for (const [i, container] of (spec.ephemeralContainers ?? []).entries()) {
		const at = `${path}[${i}]`;
		common(out, at, container as Container, context);
		trimmedImage(out, at, container);
		if (names.has(container.name)) out.push(duplicate(`${at}.name`, container.name));
		names.add(container.name);
		const target = container.targetContainerName ?? '';
		if (target !== '' && !others.has(target)) out.push(fieldNotFound(`${at}.targetContainerName`, target));
		for (const key of NOT_EPHEMERAL) {
			const { resources } = container;
			const given =
				key !== 'resources'
					? asSent(container, key) !== undefined
					: ['limits', 'requests', 'claims'].some((part) => asSent(resources, part) !== undefined);
			if (given) out.push(fieldForbidden(`${at}.${key}`, 'cannot be set for an Ephemeral Container'));
		}
		for (const [j, mount] of (container.volumeMounts ?? []).entries())
			for (const key of ['subPath', 'subPathExpr'] as const)
				if ((mount[key] ?? '') !== '')
					out.push(fieldForbidden(`${at}.volumeMounts[${j}].${key}`, 'cannot be set for an Ephemeral Container'));
	}
}

/** Asked of pods, not of templates. */
export function trimmedImages(out: Errors, path: string, list: readonly Container[]): void {
	for (const [i, container] of list.entries()) trimmedImage(out, `${path}[${i}]`, container);
}

function trimmedImage(out: Errors, at: string, { image = '' }: { readonly image?: string | undefined }): void {
	if (image.trim() !== image) out.push(invalidValue(`${at}.image`, image, 'must not have leading or trailing whitespace'));
}

function common(out: Errors, at: string, container: Container, context: PodContext): void {
	if (present(out, `${at}.name`, container.name)) texts(out, `${at}.name`, container.name, dnsLabel(container.name));
	present(out, `${at}.image`, container.image);
	if (container.terminationMessagePolicy === '') out.push(required(`${at}.terminationMessagePolicy`));
	else oneOf(out, `${at}.terminationMessagePolicy`, container.terminationMessagePolicy, ['File', 'FallbackToLogsOnError']);
	ports(out, `${at}.ports`, container.ports ?? []);
	environment(out, `${at}.env`, container.env ?? []);
	environmentFrom(out, `${at}.envFrom`, container.envFrom ?? []);
	mounts(out, `${at}.volumeMounts`, container, context);
	devices(out, `${at}.volumeDevices`, container, context);
	oneOf(out, `${at}.imagePullPolicy`, container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']);
	containerResources(out, `${at}.resources`, container.resources ?? {}, context);
	resizePolicies(out, `${at}.resizePolicy`, container, context.spec);
	containerSecurity(out, `${at}.securityContext`, container.securityContext, context.spec);
}

function resizePolicies(out: Errors, path: string, { resizePolicy = [] }: Container, spec: PodSpec): void {
	const seen = new Set<string>();
	for (const [i, { resourceName = '', restartPolicy = '' }] of resizePolicy.entries()) {
		if (seen.has(resourceName)) out.push(duplicate(`${path}[${i}]`, resourceName));
		seen.add(resourceName);
		if (resourceName === '') out.push(required(path));
		else oneOf(out, path, resourceName, ['cpu', 'memory']);
		if (restartPolicy === '') out.push(required(path));
		else oneOf(out, path, restartPolicy, ['NotRequired', 'RestartContainer']);
		if (spec.restartPolicy === 'Never' && restartPolicy !== 'NotRequired')
			out.push(invalidValue(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
	}
}

function rulesNeedPolicy(out: Errors, at: string, { restartPolicyRules = [] }: Pick<Container, 'restartPolicyRules'>): void {
	if (restartPolicyRules.length > 0) out.push(required(`${at}.restartPolicy`, 'must specify restartPolicy when restart rules are used'));
}

function restartRules(out: Errors, at: string, { restartPolicy, restartPolicyRules = [] }: Container): void {
	if (restartPolicy === undefined) rulesNeedPolicy(out, at, { restartPolicyRules });
	else oneOf(out, `${at}.restartPolicy`, restartPolicy, ['Always', 'Never', 'OnFailure']);
	if (restartPolicyRules.length > MAX_RULES) out.push(tooMany(`${at}.restartPolicyRules`, restartPolicyRules.length, MAX_RULES));
	for (const [i, { action, exitCodes }] of restartPolicyRules.entries()) {
		const path = `${at}.restartPolicyRules[${i}]`;
		oneOf(out, `${path}.action`, action ?? '', ['Restart', 'RestartAllContainers']);
		if (exitCodes === undefined) {
			out.push(required(`${path}.exitCodes`, 'must be specified'));
			continue;
		}
		oneOf(out, `${path}.exitCodes.operator`, exitCodes.operator ?? '', ['In', 'NotIn']);
		const values = exitCodes.values ?? [];
		if (values.length > MAX_EXIT_CODES) out.push(tooMany(`${path}.exitCodes.values`, values.length, MAX_EXIT_CODES));
	}
}

function ports(out: Errors, path: string, list: readonly ContainerPort[]): void {
	const names = new Unique();
	for (const [i, port] of list.entries()) {
		const at = `${path}[${i}]`;
		const { name = '' } = port;
		if (name !== '') {
			const complaints = portName(name);
			texts(out, `${at}.name`, name, complaints);
			if (complaints.length === 0) names.check(out, `${at}.name`, name);
		}
		if (port.containerPort === 0) out.push(required(`${at}.containerPort`));
		else texts(out, `${at}.containerPort`, port.containerPort, portNumber(port.containerPort));
		if ((port.hostPort ?? 0) !== 0) texts(out, `${at}.hostPort`, port.hostPort, portNumber(port.hostPort ?? 0));
		if ((port.protocol ?? '') === '') out.push(required(`${at}.protocol`));
		else oneOf(out, `${at}.protocol`, port.protocol, PROTOCOLS);
	}
}

function hostPorts(out: Errors, path: string, list: readonly Container[]): void {
	const seen = new Unique();
	for (const [i, container] of list.entries())
		for (const [j, { hostPort = 0, hostIP = '', protocol = '' }] of (container.ports ?? []).entries())
			if (hostPort !== 0) seen.check(out, `${path}[${i}].ports[${j}].hostPort`, `${protocol}/${hostIP}/${hostPort}`);
}

function environment(out: Errors, path: string, list: readonly EnvVar[]): void {
	for (const [i, variable] of list.entries()) {
		const at = `${path}[${i}]`;
		if (present(out, `${at}.name`, variable.name)) texts(out, `${at}.name`, variable.name, envName(variable.name));
		const from = variable.valueFrom;
		if (from === undefined) continue;
		let sources = 0;
		if (from.fieldRef !== undefined) {
			sources++;
			fieldRef(out, `${at}.valueFrom.fieldRef`, from.fieldRef, 'env');
		}
		if (from.resourceFieldRef !== undefined) {
			sources++;
			resourceFieldRef(out, `${at}.valueFrom.resourceFieldRef`, from.resourceFieldRef, false);
		}
		for (const key of ['configMapKeyRef', 'secretKeyRef'] as const) {
			const reference = from[key];
			if (reference === undefined) continue;
			sources++;
			keyRef(out, `${at}.valueFrom.${key}`, reference);
		}
		if (from.fileKeyRef !== undefined) {
			sources++;
			fileKeyRef(out, `${at}.valueFrom.fileKeyRef`, from.fileKeyRef);
		}
		const say = (text: string): void => void out.push(invalidValue(`${at}.valueFrom`, '', text));
		if (sources === 0) say('must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`');
		if ((variable.value ?? '') !== '') {
			if (sources > 0) say('may not be specified when `value` is not empty');
		} else if (sources > 1) say('may not have more than one field specified at a time');
	}
}

function environmentFrom(out: Errors, path: string, list: readonly EnvFromSource[]): void {
	for (const [i, { prefix = '', configMapRef, secretRef }] of list.entries()) {
		const at = `${path}[${i}]`;
		if (prefix !== '') texts(out, `${at}.prefix`, prefix, envName(prefix));
		for (const [key, ref] of Object.entries({ configMapRef, secretRef }))
			if (ref !== undefined && present(out, `${at}.${key}.name`, ref.name))
				texts(out, `${at}.${key}.name`, ref.name, dnsSubdomain(ref.name ?? '', true));
		if (configMapRef === undefined && secretRef === undefined)
			out.push(invalidValue(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
		else if (configMapRef !== undefined && secretRef !== undefined)
			out.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
	}
}

function portOrName(out: Errors, path: string, port: number | string): void {
	texts(out, path, port, typeof port === 'number' ? portNumber(port) : portName(port));
}

const graceOf = ({ spec }: PodContext): number => spec.terminationGracePeriodSeconds ?? 30;

type Handler = LifecycleHandler & Probe;

function handler(out: Errors, path: string, given: LifecycleHandler | Probe, grace = 0): void {
	const { exec, httpGet, tcpSocket, grpc, sleep } = given as Handler;
	let count = 0;
	const first = (name: string): boolean => {
		if (count > 0) out.push(fieldForbidden(`${path}.${name}`, 'may not specify more than 1 handler type'));
		return count++ === 0;
	};
	if (exec !== undefined && first('exec')) present(out, `${path}.exec.command`, exec.command);
	if (httpGet !== undefined && first('httpGet')) {
		present(out, `${path}.httpGet.path`, httpGet.path);
		portOrName(out, `${path}.httpGet.port`, httpGet.port);
		oneOf(out, `${path}.httpGet.scheme`, httpGet.scheme, ['HTTP', 'HTTPS']);
		for (const { name } of httpGet.httpHeaders ?? []) texts(out, `${path}.httpGet.httpHeaders`, name, headerName(name));
	}
	if (tcpSocket !== undefined && first('tcpSocket')) portOrName(out, `${path}.tcpSocket.port`, tcpSocket.port);
	if (grpc !== undefined && first('grpc')) texts(out, `${path}.grpc.port`, grpc.port, portNumber(grpc.port));
	if (sleep !== undefined && first('sleep') && (sleep.seconds < 0 || sleep.seconds > grace))
		out.push(invalidValue(`${path}.sleep`, sleep.seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`));
	if (count === 0) out.push(required(path, 'must specify a handler type'));
}

function probes(out: Errors, at: string, { livenessProbe, readinessProbe, startupProbe }: Container): void {
	if (livenessProbe !== undefined) {
		probe(out, `${at}.livenessProbe`, livenessProbe);
		onlyOneSuccess(out, `${at}.livenessProbe`, livenessProbe);
	}
	if (readinessProbe !== undefined) {
		probe(out, `${at}.readinessProbe`, readinessProbe);
		const grace = readinessProbe.terminationGracePeriodSeconds;
		if (grace !== undefined)
			out.push(invalidValue(`${at}.readinessProbe.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'));
	}
	if (startupProbe !== undefined) {
		probe(out, `${at}.startupProbe`, startupProbe);
		onlyOneSuccess(out, `${at}.startupProbe`, startupProbe);
	}
}

function onlyOneSuccess(out: Errors, path: string, { successThreshold = 0 }: Probe): void {
	if (successThreshold !== 1) out.push(invalidValue(`${path}.successThreshold`, successThreshold, 'must be 1'));
}

function probe(out: Errors, path: string, given: Probe): void {
	handler(out, path, given);
	for (const key of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const)
		nonNegative(out, `${path}.${key}`, given[key]);
	const grace = given.terminationGracePeriodSeconds;
	if (grace !== undefined && grace <= 0) out.push(invalidValue(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
}
