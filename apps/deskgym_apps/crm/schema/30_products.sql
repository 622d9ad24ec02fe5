-- Products, prices, lines and quotes (CRM-7). Amounts are minor units of the entry's currency; qty_milli counts
-- thousandths, discount_bp and tax_bp hundredths of a percent.
CREATE TABLE crm_product(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  name_norm TEXT NOT NULL,
  code TEXT NOT NULL UNIQUE CHECK(length(trim(code)) > 0),
  family TEXT,
  description TEXT,
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1)),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_product_norm ON crm_product(name_norm);
CREATE TABLE crm_pricebook(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK(length(trim(name)) > 0),
  name_norm TEXT NOT NULL,
  description TEXT,
  is_standard INTEGER NOT NULL DEFAULT 0 CHECK(is_standard IN (0, 1)),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1)),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX crm_pricebook_one_standard ON crm_pricebook(is_standard) WHERE is_standard = 1;
CREATE TABLE crm_pricebook_entry(
  id TEXT NOT NULL PRIMARY KEY,
  pricebook_id TEXT NOT NULL REFERENCES crm_pricebook(id),
  product_id TEXT NOT NULL REFERENCES crm_product(id),
  currency TEXT NOT NULL REFERENCES org_currency(code),
  unit_price INTEGER NOT NULL CHECK(unit_price >= 0),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1)),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  UNIQUE(pricebook_id, product_id, currency)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_entry_product ON crm_pricebook_entry(product_id);
CREATE TABLE crm_opportunity_line(
  id TEXT NOT NULL PRIMARY KEY,
  opportunity_id TEXT NOT NULL REFERENCES crm_opportunity(id),
  pricebook_entry_id TEXT NOT NULL REFERENCES crm_pricebook_entry(id),
  qty_milli INTEGER NOT NULL CHECK(qty_milli > 0),
  list_price INTEGER NOT NULL,
  unit_price INTEGER NOT NULL CHECK(unit_price >= 0),
  discount_bp INTEGER NOT NULL DEFAULT 0 CHECK(discount_bp BETWEEN 0 AND 10000),
  total INTEGER NOT NULL,
  service_date TEXT,
  description TEXT,
  sort INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_line_opportunity ON crm_opportunity_line(opportunity_id);
CREATE TABLE crm_quote(
  id TEXT NOT NULL PRIMARY KEY,
  number TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  name_norm TEXT NOT NULL,
  opportunity_id TEXT NOT NULL REFERENCES crm_opportunity(id),
  contact_id TEXT REFERENCES crm_contact(id),
  status TEXT NOT NULL DEFAULT 'Draft' CHECK(status IN
    ('Draft', 'Needs Review', 'In Review', 'Approved', 'Rejected', 'Presented', 'Accepted', 'Denied')),
  expires_on TEXT,
  currency TEXT NOT NULL REFERENCES org_currency(code),
  subtotal INTEGER NOT NULL DEFAULT 0,
  tax_bp INTEGER NOT NULL DEFAULT 0 CHECK(tax_bp BETWEEN 0 AND 10000),
  tax INTEGER NOT NULL DEFAULT 0,
  shipping INTEGER NOT NULL DEFAULT 0 CHECK(shipping >= 0),
  grand_total INTEGER NOT NULL DEFAULT 0,
  is_synced INTEGER NOT NULL DEFAULT 0 CHECK(is_synced IN (0, 1)),
  description TEXT,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK(is_deleted IN (0, 1)),
  deleted_at TEXT,
  deleted_by TEXT REFERENCES org_person(id),
  delete_batch TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX crm_quote_one_synced ON crm_quote(opportunity_id) WHERE is_synced = 1 AND is_deleted = 0;
CREATE INDEX crm_quote_opportunity ON crm_quote(opportunity_id);
CREATE INDEX crm_quote_contact ON crm_quote(contact_id);
CREATE INDEX crm_quote_norm ON crm_quote(name_norm);
CREATE TABLE crm_quote_line(
  id TEXT NOT NULL PRIMARY KEY,
  quote_id TEXT NOT NULL REFERENCES crm_quote(id),
  pricebook_entry_id TEXT NOT NULL REFERENCES crm_pricebook_entry(id),
  qty_milli INTEGER NOT NULL CHECK(qty_milli > 0),
  list_price INTEGER NOT NULL,
  unit_price INTEGER NOT NULL CHECK(unit_price >= 0),
  discount_bp INTEGER NOT NULL DEFAULT 0 CHECK(discount_bp BETWEEN 0 AND 10000),
  total INTEGER NOT NULL,
  sort INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_quote_line_quote ON crm_quote_line(quote_id);
