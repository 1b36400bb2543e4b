/** Extenders of a KubeSchedulerConfiguration: read strictly and checked as upstream does. Pure. */
import { invalidValue } from '../../../api/field-error.ts';
import { qualifiedName } from '../../../api/validation/names.ts';
import { isExtendedResource } from '../../../api/validation/pod/resources.ts';
import type { Errors } from '../../../api/validation/rule.ts';
import type { Shape } from '../../../base/shape.ts';
import { durationOf } from './durations.ts';

export interface ExtenderSettings {
	readonly urlPrefix: string;
	/** Appended to the prefix; '' for what it does not do. */
	readonly verbs: { readonly filter: string; readonly prioritize: string; readonly preempt: string; readonly bind: string };
	readonly weight: number;
	readonly https: boolean;
	readonly tls: ExtenderTls;
	readonly timeoutMs: number;
	/** It knows the nodes: it is told names. */
	readonly nodeCacheCapable: boolean;
	/** Asked about pods that want one of these; none: about all. */
	readonly managedResources: readonly string[];
	/** Of those, resources that nodes need not have. */
	readonly ignoredResources: readonly string[];
	/** Without its answer pods are placed all the same. */
	readonly ignorable: boolean;
}

/** Data, base64 in the file, goes before files. */
export interface ExtenderTls {
	readonly insecure: boolean;
	readonly serverName: string;
	readonly files: { readonly cert: string; readonly key: string; readonly ca: string };
	readonly data: { readonly cert: string; readonly key: string; readonly ca: string };
}

/** Upstream's DefaultExtenderTimeout. */
const TIMEOUT_MS = 5_000;

/** Those that may be ignored last, as upstream asks them. */
export function extendersOf(shapes: readonly Shape[], out: Errors): readonly ExtenderSettings[] {
	const extenders = shapes.map(extenderOf);
	const seen = new Set<string>();
	for (const [i, { verbs, weight, managedResources }] of extenders.entries()) {
		if (verbs.prioritize !== '' && weight <= 0)
			out.push(invalidValue(`extenders[${i}].weight`, weight, 'must have a positive weight applied to it'));
		for (const [j, name] of managedResources.entries()) {
			const path = `extenders[${i}].managedResources[${j}].name`;
			const faults = qualifiedName(name);
			for (const fault of faults) out.push(invalidValue(path, name, fault));
			if (faults.length === 0 && !isExtendedResource(name)) out.push(invalidValue(path, name, 'is an invalid extended resource name'));
			if (seen.has(name)) out.push(invalidValue(path, name, 'duplicate extender managed resource name'));
			seen.add(name);
		}
	}
	const binders = extenders.filter(({ verbs }) => verbs.bind !== '').length;
	if (binders > 1)
		out.push(invalidValue('extenders', `found ${binders} extenders implementing bind`, 'only one extender can implement bind'));
	return extenders.toSorted((a, b) => Number(a.ignorable) - Number(b.ignorable));
}

function extenderOf(shape: Shape): ExtenderSettings {
	shape.only(
		...['urlPrefix', 'filterVerb', 'preemptVerb', 'prioritizeVerb', 'weight', 'bindVerb', 'enableHTTPS', 'tlsConfig'],
		...['httpTimeout', 'nodeCacheCapable', 'managedResources', 'ignorable'],
	);
	const managed = shape.list('managedResources').map((resource) => {
		resource.only('name', 'ignoredByScheduler');
		return { name: resource.text('name'), isIgnored: resource.bool('ignoredByScheduler') };
	});
	const verb = (name: string): string => shape.text(`${name}Verb`);
	return {
		urlPrefix: shape.text('urlPrefix'),
		verbs: { filter: verb('filter'), prioritize: verb('prioritize'), preempt: verb('preempt'), bind: verb('bind') },
		weight: shape.number('weight'),
		https: shape.bool('enableHTTPS'),
		tls: tlsOf(shape.map('tlsConfig')),
		timeoutMs: durationOf(shape, 'httpTimeout', 0) || TIMEOUT_MS,
		nodeCacheCapable: shape.bool('nodeCacheCapable'),
		managedResources: managed.map(({ name }) => name),
		ignoredResources: managed.filter(({ isIgnored }) => isIgnored).map(({ name }) => name),
		ignorable: shape.bool('ignorable'),
	};
}

function tlsOf(shape: Shape): ExtenderTls {
	shape.only('insecure', 'serverName', 'certFile', 'keyFile', 'caFile', 'certData', 'keyData', 'caData');
	const three = (what: string): ExtenderTls['files'] => ({
		cert: shape.text(`cert${what}`),
		key: shape.text(`key${what}`),
		ca: shape.text(`ca${what}`),
	});
	return { insecure: shape.bool('insecure'), serverName: shape.text('serverName'), files: three('File'), data: three('Data') };
}
