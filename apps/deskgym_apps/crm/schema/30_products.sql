-- Products: read only for now. Amounts are minor units of the entry's currency; qty_milli counts thousandths.
CREATE TABLE crm_product(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  code TEXT NOT NULL UNIQUE,
  family TEXT,
  is_active INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_pricebook(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  is_standard INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_pricebook_entry(
  id TEXT NOT NULL PRIMARY KEY,
  pricebook_id TEXT NOT NULL REFERENCES crm_pricebook(id),
  product_id TEXT NOT NULL REFERENCES crm_product(id),
  currency TEXT NOT NULL REFERENCES org_currency(code),
  unit_price INTEGER NOT NULL CHECK(unit_price >= 0),
  UNIQUE(pricebook_id, product_id, currency)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_opportunity_line(
  id TEXT NOT NULL PRIMARY KEY,
  opportunity_id TEXT NOT NULL REFERENCES crm_opportunity(id),
  pricebook_entry_id TEXT NOT NULL REFERENCES crm_pricebook_entry(id),
  qty_milli INTEGER NOT NULL CHECK(qty_milli > 0),
  list_price INTEGER NOT NULL,
  unit_price INTEGER NOT NULL CHECK(unit_price >= 0),
  discount_bp INTEGER NOT NULL DEFAULT 0 CHECK(discount_bp BETWEEN 0 AND 10000),
  total INTEGER NOT NULL,
  sort INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_line_opportunity ON crm_opportunity_line(opportunity_id);
