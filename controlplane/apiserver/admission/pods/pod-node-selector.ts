/** PodNodeSelector: the pods of a namespace go only to the nodes that an annotation of the namespace, or the configuration, selects. */
import type { Pod } from '../../../../api/gen/types.ts';
import { NAMESPACES, PODS } from '../../../../api/resources.ts';
import { forbidden, unknownFailure } from '../../../../api/status.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { isPod, written } from '../target.ts';

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';

/** @param configured selectors for namespaces without an annotation ("clusterDefaultNodeSelector"), and the labels that pods of a namespace may select by */
export function podNodeSelector(objects: ObjectReader, configured: Readonly<Record<string, string>> = {}): AdmissionPlugin {
	const merged = (attributes: AdmissionAttributes): Readonly<Record<string, string>> => {
		const selector = labelsOf(
			objects.get(NAMESPACES, attributes.namespace)?.metadata.annotations?.[ANNOTATION] ?? configured['clusterDefaultNodeSelector'] ?? '',
		);
		const { metadata, spec } = written<Pod>(attributes);
		const own = spec?.nodeSelector ?? {};
		if (Object.entries(selector).some(([key, value]) => Object.hasOwn(own, key) && own[key] !== value))
			throw forbidden(PODS, metadata.name ?? '', 'pod node label selector conflicts with its namespace node label selector');
		const all = { ...selector, ...own };
		const { namespace } = attributes;
		const allowed = labelsOf(Object.hasOwn(configured, namespace) ? (configured[namespace] as string) : '');
		if (Object.keys(allowed).length > 0 && Object.entries(all).some(([key, value]) => allowed[key] !== value))
			throw forbidden(PODS, metadata.name ?? '', 'pod node label selector labels conflict with its namespace whitelist');
		return all;
	};
	return {
		name: 'PodNodeSelector',
		handles: (attributes) => isPod(attributes) && attributes.operation === 'CREATE',
		mutate(attributes) {
			const { spec } = written<Pod>(attributes);
			const nodeSelector = merged(attributes);
			if (spec !== undefined && Object.keys(nodeSelector).length > 0) spec.nodeSelector = nodeSelector;
		},
		validate: (attributes) => void merged(attributes),
	};
}

/** "zone=a,disk=ssd" */
function labelsOf(text: string): Readonly<Record<string, string>> {
	const pairs = text === '' ? [] : text.split(',');
	return Object.fromEntries(
		pairs.map((pair) => {
			const [key = '', value, ...more] = pair.split('=').map((part) => part.trim());
			if (value === undefined || more.length > 0) throw unknownFailure(`invalid selector: ${pair}`);
			return [key, value];
		}),
	);
}
