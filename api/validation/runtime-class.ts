/** RuntimeClasses: a handler, what it costs, and the nodes that have it. */
import { duplicate } from '../field-error.ts';
import type { RuntimeClass } from '../gen/types.ts';
import { internalForm } from '../internal/form.ts';
import { dnsLabel } from './names.ts';
import { CLUSTER_SCOPED, genericMetaUpdate, objectMeta } from './metadata.ts';
import { STRICT } from './pod/options.ts';
import { containerResources } from './pod/resources.ts';
import { immutable, present, texts, type Errors } from './rule.ts';
import { tolerations } from './pod/scheduling.ts';
import { labels } from './metadata.ts';

export function runtimeClass(out: Errors, object: RuntimeClass): void {
	objectMeta(out, object.metadata, { ...CLUSTER_SCOPED, finalizers: false });
	if (present(out, 'handler', object.handler)) texts(out, 'handler', object.handler, dnsLabel(object.handler));
	if (object.overhead !== undefined)
		containerResources(out, 'overhead', { limits: object.overhead.podFixed ?? {} }, { claims: new Set(), options: STRICT });
	labels(out, 'scheduling.nodeSelector', object.scheduling?.nodeSelector);
	const tolerated = object.scheduling?.tolerations ?? [];
	tolerations(out, 'scheduling.tolerations', tolerated);
	const keys = new Set<string>();
	for (const [i, toleration] of tolerated.entries()) {
		const { key = '', operator = '', value = '', effect = '' } = toleration;
		const own = JSON.stringify([key, operator, value, effect]);
		if (keys.has(own)) out.push(duplicate(`scheduling.tolerations[${i}]`, internalForm('core/v1.Toleration', toleration)));
		keys.add(own);
	}
}

export function runtimeClassUpdate(out: Errors, object: RuntimeClass, old: RuntimeClass): void {
	runtimeClass(out, object);
	genericMetaUpdate(out, object.metadata, old.metadata);
	immutable(out, 'handler', object.handler, old.handler);
}
