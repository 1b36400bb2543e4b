/** The environment of a container: envFrom, env in order with expansion, then service variables that nothing overrode. */
import type { ConfigMap, Container, Quantity, Secret } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { inUnitsOf, resourceOf } from './amounts.ts';
import { valueIn } from './env-file.ts';
import { expand } from './expansion.ts';
import { fieldValue, type FieldContext } from './field-ref.ts';

export interface EnvContext extends FieldContext {
	readonly allocatable: Readonly<Record<string, Quantity>>;
	readonly serviceVariables: Readonly<Record<string, string>>;
	/** Objects of the pod's namespace; undefined when there is none. */
	configMap(name: string): ConfigMap | undefined;
	secret(name: string): Secret | undefined;
	/** Of a volume of the pod; undefined when there is none. */
	file(volumeName: string, path: string): string | undefined;
}

/** Pure. AppError InvalidArgument says what is missing, as the container's waiting message. */
export function environmentOf(container: Container, context: EnvContext): readonly { readonly name: string; readonly value: string }[] {
	const env = new Map<string, string>();
	const services = context.serviceVariables;
	for (const from of container.envFrom ?? []) {
		const prefix = from.prefix ?? '';
		const data = from.configMapRef !== undefined ? configMapData(context, from.configMapRef) : secretData(context, from.secretRef);
		for (const [key, value] of Object.entries(data)) if (isVariableName(prefix + key)) env.set(prefix + key, value);
	}
	for (const variable of container.env ?? []) {
		const { name, value, valueFrom } = variable;
		if (valueFrom === undefined) {
			env.set(
				name,
				expand(value ?? '', (n) => env.get(n) ?? services[n]),
			);
			continue;
		}
		const found = valueOf(valueFrom, container, context);
		if (found !== undefined) env.set(name, found);
	}
	for (const [name, value] of Object.entries(services)) if (!env.has(name)) env.set(name, value);
	return [...env].map(([name, value]) => ({ name, value }));
}

type ValueFrom = NonNullable<NonNullable<Container['env']>[number]['valueFrom']>;

function valueOf(from: ValueFrom, container: Container, context: EnvContext): string | undefined {
	const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = from;
	if (fieldRef !== undefined) return fieldValue(fieldRef.fieldPath, context);
	if (resourceFieldRef !== undefined) {
		const owner = resourceFieldRef.containerName || container.name;
		const amount = resourceOf(context.pod, owner, resourceFieldRef.resource, context.allocatable) ?? 0;
		return inUnitsOf(amount, resourceFieldRef.divisor);
	}
	const namespace = context.pod.metadata.namespace ?? '';
	if (configMapKeyRef !== undefined) {
		const { name = '', key, optional = false } = configMapKeyRef;
		const object = context.configMap(name);
		if (object === undefined) return missing(optional, `configmap "${name}" not found`);
		return object.data?.[key] ?? missing(optional, `couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
	}
	if (secretKeyRef !== undefined) {
		const { name = '', key, optional = false } = secretKeyRef;
		const object = context.secret(name);
		if (object === undefined) return missing(optional, `secret "${name}" not found`);
		const value = object.data?.[key];
		return value === undefined ? missing(optional, `couldn't find key ${key} in Secret ${namespace}/${name}`) : decode(value);
	}
	if (fileKeyRef !== undefined) {
		const { volumeName, path, key, optional = false } = fileKeyRef;
		const text = context.file(volumeName, path);
		if (text === undefined) return missing(optional, `environment variable file "${path}" not found in volume "${volumeName}"`);
		return valueIn(text, key) ?? missing(optional, `environment variable key "${key}" not found in file "${path}"`);
	}
	throw new AppError('InvalidArgument', 'env.valueFrom names no source');
}

function missing(optional: boolean, message: string): undefined {
	if (!optional) throw new AppError('InvalidArgument', message);
	return undefined;
}

function configMapData(
	context: EnvContext,
	ref: { readonly name?: string | undefined; readonly optional?: boolean | undefined },
): Record<string, string> {
	const object = context.configMap(ref.name ?? '');
	if (object === undefined) missing(ref.optional ?? false, `configmap "${ref.name ?? ''}" not found`);
	return object?.data ?? {};
}

function secretData(
	context: EnvContext,
	ref?: { readonly name?: string | undefined; readonly optional?: boolean | undefined },
): Record<string, string> {
	const object = context.secret(ref?.name ?? '');
	if (object === undefined) missing(ref?.optional ?? false, `secret "${ref?.name ?? ''}" not found`);
	return Object.fromEntries(Object.entries(object?.data ?? {}).map(([key, value]) => [key, decode(value)]));
}

function decode(base64: string): string {
	return Buffer.from(base64, 'base64').toString('utf8');
}

/** Relaxed validation: printable ASCII without "=". */
function isVariableName(name: string): boolean {
	return /^[ -<>-~]+$/.test(name);
}

/** The objects that a container's environment reads. */
export function envReferences(container: Container): { readonly configMaps: readonly string[]; readonly secrets: readonly string[] } {
	const configMaps = new Set<string>();
	const secrets = new Set<string>();
	for (const from of container.envFrom ?? []) {
		if (from.configMapRef?.name) configMaps.add(from.configMapRef.name);
		if (from.secretRef?.name) secrets.add(from.secretRef.name);
	}
	for (const { valueFrom } of container.env ?? []) {
		if (valueFrom?.configMapKeyRef?.name) configMaps.add(valueFrom.configMapKeyRef.name);
		if (valueFrom?.secretKeyRef?.name) secrets.add(valueFrom.secretKeyRef.name);
	}
	return { configMaps: [...configMaps], secrets: [...secrets] };
}
