import test from 'ava';
import { CLUSTER_ROLE_TEXT } from './cluster-roles.ts';
import { parseRoles } from './rbac-text.ts';

test("the rules of aggregated roles are nobody's but their controller's", (t) => {
	const roles = parseRoles(CLUSTER_ROLE_TEXT);
	const without = roles.filter(({ rules }) => rules === undefined).map(({ metadata }) => metadata.name);
	t.deepEqual(without.toSorted(), ['admin', 'edit', 'view']);
});
