/** The configuration of kubelets by the API: the feature is gone, what nodes have of it stays as it should be (core validateNodeConfigSourceSpec and -Status). */
import { fieldForbidden, invalidValue, required } from '../field-error.ts';
import type { ConfigMapNodeConfigSource, Node, NodeConfigSource } from '../gen/types.ts';
import { internalForm } from '../internal/form.ts';
import { configKey, dnsLabel, dnsSubdomain, type NameRule } from './names.ts';
import { texts, type Errors } from './rule.ts';

export function nodeConfig(out: Errors, { spec, status }: Node): void {
	const at = 'spec.configSource.configMap';
	if (spec?.configSource !== undefined)
		source(out, 'spec.configSource', spec.configSource, ({ uid = '', resourceVersion = '' }) => {
			if (uid !== '') out.push(fieldForbidden(`${at}.uid`, 'uid must not be set in spec'));
			if (resourceVersion !== '') out.push(fieldForbidden(`${at}.resourceVersion`, 'resourceVersion must not be set in spec'));
		});
	for (const key of ['assigned', 'active', 'lastKnownGood'] as const) {
		const given = status?.config?.[key];
		const path = `status.config.${key}`;
		if (given !== undefined)
			source(out, path, given, ({ uid = '', resourceVersion = '' }) => {
				if (uid === '') out.push(required(`${path}.configMap.uid`));
				if (resourceVersion === '') out.push(required(`${path}.configMap.resourceVersion`));
			});
	}
}

function source(out: Errors, path: string, given: NodeConfigSource, exact: (map: ConfigMapNodeConfigSource) => void): void {
	const { configMap } = given;
	if (configMap === undefined) {
		out.push(invalidValue(path, internalForm('core/v1.NodeConfigSource', given), 'exactly one reference subfield must be non-nil'));
		return;
	}
	exact(configMap);
	const { namespace = '', name = '', kubeletConfigKey = '' } = configMap;
	named(out, `${path}.configMap.namespace`, namespace, dnsLabel);
	named(out, `${path}.configMap.name`, name, dnsSubdomain);
	named(out, `${path}.configMap.kubeletConfigKey`, kubeletConfigKey, configKey);
}

function named(out: Errors, path: string, name: string, rule: NameRule): void {
	if (name === '') out.push(required(path));
	else texts(out, path, name, rule(name));
}
